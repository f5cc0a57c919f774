# SPDX-License-Identifier: Apache-2.0
"""Attention and rotary embeddings of ONNX Runtime's domain, computed by numpy token by token."""
import numpy as np

from composed_cases import RANDOM, byte_tensor, case, reals

LOW = -3e38


def softmax(x, sink=None):
    top = x.max(-1, keepdims=True)
    if sink is not None:
        top = np.maximum(top, sink)
    e = np.exp(x - top)
    return e / (e.sum(-1, keepdims=True) + (0 if sink is None else np.exp(sink - top)))


def heads(x, count):
    """[batch, tokens, heads * width] to [batch, heads, tokens, width]."""
    return x.reshape(x.shape[0], x.shape[1], count, -1).transpose(0, 2, 1, 3).astype(np.float64)


def joined(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1).astype(np.float32)


def attend(q, k, v, added=0.0, scale=None, softcap=0.0, sink=None):
    """|added| is broadcast to the scores."""
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ k.transpose(0, 1, 3, 2) * (q.shape[-1]**-0.5 if scale is None else scale)
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    return softmax(scores + added, sink) @ v


def causal(tokens, keys):
    return np.where(np.arange(keys)[None] <= np.arange(tokens)[:, None] + keys - tokens, 0, LOW)


def add_attention():
    x, w, b = reals(2, 4, 8), reals(8, 24, scale=0.4), reals(24)
    q, k, v = (heads(part, 2) for part in np.split(x.astype(float) @ w + b, 3, -1))
    case("ms_attention", "Attention", [x, w, b], [joined(attend(q, k, v))], constants=[1, 2], num_heads=2)
    case("ms_attention_causal", "Attention", [x, w, b], [joined(attend(q, k, v, causal(4, 4)))], constants=[1, 2],
         num_heads=2, unidirectional=1)
    mask = np.array([[1, 1, 1, 0], [1, 1, 0, 0]], np.int32)
    hidden = np.where(mask[:, None, None] > 0, 0, -10000.0)
    masked = [joined(attend(q, k, v, hidden))]
    case("ms_attention_mask", "Attention", [x, w, b, mask], masked, constants=[1, 2], num_heads=2)
    case("ms_attention_lengths", "Attention", [x, w, b, np.array([3, 2], np.int32)], masked, constants=[1, 2],
         num_heads=2)
    ends = np.array([4, 3, 1, 2], np.int32)
    keys = np.arange(4)
    hidden = np.where((keys < ends[:2, None]) & (keys >= ends[2:, None]), 0, -10000.0)[:, None, None]
    case("ms_attention_ends_and_starts", "Attention", [x, w, b, ends], [joined(attend(q, k, v, hidden))],
         constants=[1, 2], num_heads=2)
    mask = RANDOM.randint(0, 2, (2, 4, 4)).astype(np.int32)
    mask[:, :, 0] = 1
    hidden = np.where(mask[:, None] > 0, 0, -10000.0)
    extra = reals(1, 2, 4, 4)
    case("ms_attention_mask3", "Attention", [x, w, b, mask, None, extra],
         [joined(attend(q, k, v, hidden + extra, scale=0.35))], constants=[1, 2], num_heads=2, scale=0.35)
    past = reals(2, 2, 2, 3, 4)
    all_k, all_v = np.concatenate([past[0], k], 2), np.concatenate([past[1], v], 2)
    present = np.stack([all_k, all_v]).astype(np.float32)
    case("ms_attention_past", "Attention", [x, w, b, None, past],
         [joined(attend(q, all_k, all_v, causal(4, 7))), present], constants=[1, 2], num_heads=2, unidirectional=1)
    w, b = reals(8, 28, scale=0.4), reals(28)
    q, k, v = (heads(part, 2) for part in np.split(x.astype(float) @ w + b, [8, 16], -1))
    case("ms_attention_sizes", "Attention", [x, w, b], [joined(attend(q, k, v))], constants=[1, 2], num_heads=2,
         qkv_hidden_sizes=[8, 8, 12])
    xq, wq = byte_tensor(2, 4, 8), byte_tensor(8, 24, dtype=np.int8)
    b = reals(24)
    real = (xq.astype(np.int64) - 120) @ (wq.astype(np.int64) - 2) * (np.float64(np.float32(0.01)) * np.float32(0.007)) + b
    q, k, v = (heads(part, 2) for part in np.split(real, 3, -1))
    case("qattention", "QAttention",
         [xq, wq, b, np.float32(0.01), np.float32(0.007), np.array([3, 4], np.int32), np.uint8(120), np.int8(2)],
         [joined(attend(q, k, v, np.where(np.arange(4) < np.array([3, 4])[:, None], 0, -10000.0)[:, None, None]))],
         constants=[1, 2, 3, 4, 6, 7], num_heads=2)


def add_multi_head():
    q, k, v, b = reals(2, 3, 8), reals(2, 5, 8), reals(2, 5, 12), reals(28)
    plain = attend(heads(q, 2), heads(k, 2), heads(v, 2))
    case("mha", "MultiHeadAttention", [q, k, v], [joined(plain)], num_heads=2)
    biased = [heads(q + b[:8], 2), heads(k + b[8:16], 2), heads(v + b[16:], 2)]
    case("mha_bias", "MultiHeadAttention", [q, k, v, b], [joined(attend(*biased, scale=0.3))], constants=[3],
         num_heads=2, scale=0.3)
    mask = np.array([[1, 1, 1, 1, 0], [1, 1, 0, 0, 0]], np.int32)
    hidden, extra = np.where(mask[:, None, None] > 0, 0, -10000.0), reals(2, 1, 3, 5)
    case("mha_mask", "MultiHeadAttention", [q, k, v, None, mask, extra],
         [joined(attend(heads(q, 2), heads(k, 2), heads(v, 2), hidden + extra))], num_heads=2)
    k, v = reals(2, 3, 8), reals(2, 3, 8)
    past_k, past_v = reals(2, 2, 4, 4), reals(2, 2, 4, 4)
    all_k, all_v = np.concatenate([past_k, heads(k, 2)], 2), np.concatenate([past_v, heads(v, 2)], 2)
    case("mha_past", "MultiHeadAttention", [q, k, v, None, None, None, past_k, past_v],
         [joined(attend(heads(q, 2), all_k, all_v, causal(3, 7))), all_k.astype(np.float32),
          all_v.astype(np.float32)], num_heads=2, unidirectional=1)
    case("mha_cross", "MultiHeadAttention", [q, past_k, past_v],
         [joined(attend(heads(q, 2), past_k.astype(float), past_v.astype(float)))], num_heads=2)


def rotated(x, cosine, sine, interleaved):
    """x [batch, heads, tokens, width], caches [batch, tokens, half]."""
    half = cosine.shape[-1]
    cosine, sine = cosine[:, None].astype(np.float64), sine[:, None].astype(np.float64)
    made = x.astype(np.float64).copy()
    first, second = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (
        slice(0, half), slice(half, 2 * half))
    a, b = x[..., first], x[..., second]
    made[..., first], made[..., second] = a * cosine - b * sine, a * sine + b * cosine
    return made


def add_rotary():
    angles = RANDOM.uniform(0, 6, (9, 4))
    cosine, sine = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    places = np.array([[0, 1, 2], [5, 6, 8]])
    for interleaved in (0, 1):
        x = reals(2, 3, 16)
        made = joined(rotated(heads(x, 2), cosine[places], sine[places], interleaved))
        case(f"rotary_{interleaved}", "RotaryEmbedding", [x, places, cosine, sine], [made], constants=[2, 3],
             interleaved=interleaved)
        x = reals(2, 2, 3, 8)
        at = np.array([[4, 5, 6]] * 2)
        case(f"rotary_offset_{interleaved}", "RotaryEmbedding", [x, np.array([4]), cosine, sine],
             [rotated(x, cosine[at], sine[at], interleaved).astype(np.float32)], constants=[2, 3],
             interleaved=interleaved)
    x = reals(2, 3, 24)
    made = joined(rotated(heads(x, 2), cosine[places], sine[places], 0))
    case("rotary_partly", "RotaryEmbedding", [x, places, cosine, sine], [made], constants=[2, 3], num_heads=2,
         rotary_embedding_dim=8)


def group_query(q, k, v, past, lengths, room, *, rotary=None, window=-1, **options):
    """Token by token; returns the output and both caches."""
    batch, tokens = q.shape[0], q.shape[2]
    past_k, past_v = past if past else (np.zeros(k.shape[:2] + (0, k.shape[3])),) * 2
    outputs, caches = [], []
    for i in range(batch):
        before = max(lengths[i] + 1 - tokens, 0) if past else 0
        places = np.arange(before, before + tokens)
        qi, ki = q[i:i + 1], k[i:i + 1]
        if rotary:
            cosine, sine = rotary[0][places][None], rotary[1][places][None]
            qi, ki = rotated(qi, cosine, sine, rotary[2]), rotated(ki, cosine, sine, rotary[2])
        cache = [np.zeros((1, k.shape[1], room, k.shape[3])) for _ in range(2)]
        for to, old, new in zip(cache, (past_k, past_v), (ki, v[i:i + 1])):
            to[:, :, :old.shape[2]] = old[i:i + 1]
            to[:, :, before:before + tokens] = new
        keys = np.arange(room)[None]
        seen = keys <= places[:, None]
        if window >= 0:
            seen &= keys > places[:, None] - window
        outputs.append(attend(qi, *cache, np.where(seen, 0, LOW), **options))
        caches.append(cache)
    made = [joined(np.concatenate(outputs))]
    return made + [np.concatenate([c[j] for c in caches]).astype(np.float32) for j in range(2)]


def add_group_query():
    q, k, v = reals(2, 3, 64), reals(2, 3, 32), reals(2, 3, 32)
    parts = [heads(q, 4), heads(k, 2), heads(v, 2)]
    total, last = np.int32(3), np.array([2, 2], np.int32)
    prompt = [q, k, v, None, None, last, total]
    case("gqa_prompt", "GroupQueryAttention", prompt, group_query(*parts, None, last, 3), num_heads=4, kv_num_heads=2)
    packed = np.concatenate([q, k, v], -1)
    case("gqa_packed", "GroupQueryAttention", [packed, None, None, None, None, last, total],
         group_query(*parts, None, last, 3), num_heads=4, kv_num_heads=2)
    case("gqa_softcap", "GroupQueryAttention", prompt, group_query(*parts, None, last, 3, softcap=2.0, scale=0.7),
         num_heads=4, kv_num_heads=2, softcap=2.0, scale=0.7)
    sink = reals(4)
    case("gqa_sink", "GroupQueryAttention", prompt + [None] * 4 + [sink],
         group_query(*parts, None, last, 3, sink=sink.reshape(1, 4, 1, 1).astype(float)), num_heads=4, kv_num_heads=2)
    past = [reals(2, 2, 5, 16), reals(2, 2, 5, 16)]
    step = [q[:, :1], k[:, :1], v[:, :1]]
    parts = [heads(step[0], 4), heads(step[1], 2), heads(step[2], 2)]
    angles = RANDOM.uniform(0, 6, (16, 8))
    cosine, sine = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    last = np.array([5, 5], np.int32)
    case("gqa_step", "GroupQueryAttention", step + past + [last, np.int32(6)], group_query(*parts, past, last, 6),
         constants=[6], num_heads=4, kv_num_heads=2)
    for interleaved in (0, 1):
        case(f"gqa_rotary_{interleaved}", "GroupQueryAttention", step + past + [last, np.int32(6), cosine, sine],
             group_query(*parts, past, last, 6, rotary=(cosine, sine, interleaved)), constants=[6, 7, 8], num_heads=4,
             kv_num_heads=2, do_rotary=1, rotary_interleaved=interleaved)
    case("gqa_window", "GroupQueryAttention", step + past + [last, np.int32(6)],
         group_query(*parts, past, last, 6, window=3), constants=[6], num_heads=4, kv_num_heads=2,
         local_window_size=3)
    uneven = np.array([5, 2], np.int32)  # the second sequence is shorter: its step goes to place 2
    made = group_query(*parts, past, uneven, 6)
    case("gqa_uneven", "GroupQueryAttention", step + past + [uneven, np.int32(6)], made[:1], constants=[6],
         num_heads=4, kv_num_heads=2)


def add_all():
    add_attention()
    add_multi_head()
    add_rotary()
    add_group_query()
