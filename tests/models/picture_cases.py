# SPDX-License-Identifier: Apache-2.0
"""Operators on pictures and boxes, with results computed here by numpy: see composed_cases.py."""
import numpy as np

from composed_cases import RANDOM, case, reals


def add_pictures():
    x = reals(2, 3, 7, 9)
    bias = [0.5, -1.25, 2.0]
    case("image_scaler", "ImageScaler", [x], [(x * np.float32(0.25) + np.array(bias, np.float32)[None, :, None, None])],
         domain="", opset=1, scale=0.25, bias=bias)
    case("crop_border", "Crop", [x], [x[:, :, 2:6, 1:6]], domain="", opset=1, border=[1, 2, 3, 1])
    case("crop_scale", "Crop", [x], [x[:, :, 2:5, 1:5]], domain="", opset=1, border=[1, 2, 0, 0], attr_scale=[3, 4])


# ---- resampling with a stretched filter ----

def triangle(x):
    return np.maximum(1 - np.abs(x), 0)


def cubic(x, a=-0.75):
    x = np.abs(x)
    near = (a + 2) * x**3 - (a + 3) * x**2 + 1
    far = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def weights(length, out, kernel, scale, excludes):
    """A matrix of out x length. Beyond the border the outermost element counts, or nothing."""
    stretch = min(scale, 1.0)
    made = np.zeros((out, length))
    reach = int(np.ceil(2 / stretch)) + 2
    for i in range(out):
        centre = (i + 0.5) / scale - 0.5
        for at in range(int(np.floor(centre)) - reach, int(np.ceil(centre)) + reach + 1):
            weight = float(kernel((at - centre) * stretch))
            if not excludes or 0 <= at < length:
                made[i, min(max(at, 0), length - 1)] += weight
    return made / made.sum(1, keepdims=True)


def add_resizes():
    x = reals(1, 2, 9, 13)
    for mode, kernel in (("linear", triangle), ("cubic", cubic)):
        for excludes in (0, 1):
            for height, width in ((4, 5), (3, 13), (18, 7)):
                rows = weights(9, height, kernel, height / 9, excludes)
                columns = weights(13, width, kernel, width / 13, excludes)
                made = np.einsum("ih,nchw,jw->ncij", rows, x.astype(np.float64), columns).astype(np.float32)
                case(f"antialias_{mode}_{excludes}_{height}x{width}", "Resize",
                     [x, None, None, np.array([1, 2, height, width])], [made], domain="", opset=18, constants=[3],
                     attr_mode=mode, antialias=1, exclude_outside=excludes)
    small = RANDOM.randint(0, 256, (1, 1, 8, 8)).astype(np.uint8)
    half = weights(8, 4, triangle, 0.5, 0)
    made = np.trunc(np.einsum("ih,nchw,jw->ncij", half, small.astype(np.float64), half) + 1e-9).astype(np.uint8)
    case("antialias_bytes", "Resize", [small, None, None, np.array([1, 1, 4, 4])], [made], domain="", opset=18,
         constants=[3], attr_mode="linear", antialias=1)


# ---- boxes ----

def overlap(a, b):
    low, high = np.maximum(a[:2], b[:2]), np.minimum(a[2:], b[2:])
    common = np.prod(np.maximum(high - low, 0))
    both = np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - common
    return common / both if both > 0 else 0


def suppress(boxes, scores, most, threshold, least):
    """Boxes are corners, the lower one first."""
    found = []
    for picture in range(scores.shape[0]):
        for kind in range(scores.shape[1]):
            taken = []
            for box in np.argsort(-scores[picture, kind], kind="stable"):
                if len(taken) == most or scores[picture, kind, box] <= least:
                    break
                if all(overlap(boxes[picture, box], boxes[picture, other]) <= threshold for other in taken):
                    taken.append(box)
            found += [[picture, kind, box] for box in taken]
    return np.array(found, np.int64).reshape(-1, 3)


def add_boxes():
    corners = RANDOM.uniform(0, 10, (2, 40, 2))
    sizes = RANDOM.uniform(1, 5, (2, 40, 2))
    boxes = np.concatenate([corners, corners + sizes], 2).astype(np.float32)
    scores = RANDOM.uniform(0, 1, (2, 3, 40)).astype(np.float32)
    parameters = [np.array([7]), np.array([0.4], np.float32), np.array([0.3], np.float32)]
    case("suppression", "NonMaxSuppression", [boxes, scores] + parameters,
         [suppress(boxes, scores, 7, 0.4, 0.3)], domain="", opset=11, constants=[2, 3, 4])
    turned = boxes[:, :, [2, 1, 0, 3]]
    case("suppression_corners", "NonMaxSuppression", [turned, scores] + parameters,
         [suppress(boxes, scores, 7, 0.4, 0.3)], domain="", opset=11, constants=[2])
    centred = np.concatenate([(corners + corners + sizes) / 2, sizes], 2).astype(np.float32)
    case("suppression_centred", "NonMaxSuppression", [centred, scores] + parameters[:2],
         [suppress(boxes, scores, 7, 0.4, -1)], domain="", opset=11, constants=[2, 3], center_point_box=1)


add_pictures()
add_resizes()
add_boxes()
