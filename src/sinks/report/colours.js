/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colour means class, everywhere on the page, and nothing else.
 */

/*
 * Classes in the order in which tracks are shown, with their hues. What moves data is green, what
 * computes is blue, what talks to other devices is orange, what the host does is violet.
 */
const CLASS_TONES = { /* hue, and saturation and lightness on white */
    group: [220, 10, 70], host: [266, 40, 81], host_copy: [296, 36, 78], runtime: [248, 30, 80],
    control: [46, 62, 66], dma_in: [164, 44, 62], dma_out: [172, 44, 60], dma_local: [152, 40, 64],
    copy: [164, 44, 62], compute: [214, 66, 68], vector: [196, 58, 66], communication: [28, 82, 68],
    sync: [4, 34, 78], port: [60, 40, 68], counter: [92, 36, 62], memory: [12, 48, 70],
    phase: [220, 10, 85],
};
const CLASS_NAMES = Object.keys(CLASS_TONES);

function classOrder(name) {
    const at = CLASS_NAMES.indexOf(name);
    return at < 0 ? CLASS_NAMES.length : at;
}

function classColour(name, isDark) {
    const [hue, saturation, lightness] = CLASS_TONES[name] || CLASS_TONES.group;
    const isPale = lightness > 75; /* no work of a device */
    return isDark ? `hsl(${hue} ${Math.round(0.75 * saturation)}% ${isPale ? 34 : 43}%)`
        : `hsl(${hue} ${saturation}% ${lightness}%)`;
}

/* The class that the colour of work says: on streams, which do everything, its kind. */
function shownClass(trackClass, kind) {
    return trackClass === 'compute' && kind > 0 ? KINDS[kind] : trackClass;
}
