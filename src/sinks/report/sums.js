/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators: the time of each, of all spans or of some, as 'tacho ops' has it.
 */

/*
 * Time by operator, class, origin and part between |from| and |to|, as `tacho ops` has it: moments
 * are left out, and |counts| says for each class whether its spans are wanted; those of phases are
 * of the class phase, wherever they lie. Percentiles are of the nearest rank, so each is the
 * length of some span. Operators of a profile that is not here in full came with it: they are
 * always of all its spans. A |filter| leaves spans out; it may be null.
 */
function summariseOps(profile, counts, {from, to}, filter) {
    if (profile.resolutionNs > 0) {
        return profile.ops.filter(op => counts(op.isPhase ? PHASE : op.class) &&
            (!filter || filter.acceptsOp(op)));
    }
    const pieces = profile.rows.filter(row => row.track.isMixed || counts(row.track.class))
        .map(row => {
            const [first, last] = rowRange(row, from, to);
            return {row, first, last, groups: new Int32Array(last - first).fill(-1)};
        });
    const groups = groupSpans(profile, pieces, counts, filter);
    const starts = new Uint32Array(groups.length + 1);
    groups.forEach((group, at) => {
        starts[at + 1] = starts[at] + group.count;
    });
    const lengths = gatherLengths(profile, pieces, groups, starts);
    groups.forEach((group, at) => {
        const sorted = lengths.subarray(starts[at], starts[at + 1]);
        if (group.count > 1) {
            sorted.sort();
        }
        const rank = percent => sorted[Math.ceil(percent * group.count / 100) - 1];
        Object.assign(group, {mean: Math.round(group.total / group.count), p50: rank(50),
                              p99: rank(99), min: sorted[0], max: sorted[group.count - 1]});
    });
    return groups;
}

/* Devices, the host, or what is neither: their times are never added up. */
const DEVICE_CLASSES = ['control', 'dma_in', 'dma_out', 'dma_local', 'compute', 'vector'];
const HOST_CLASSES = ['host', 'host_copy', 'runtime'];

function sideOf(group) {
    return DEVICE_CLASSES.includes(group.class) ? 0 : HOST_CLASSES.includes(group.class) ? 1 : 2;
}

/* Adds to each operator its share of the own time of all, of its part, origin and side. */
function withShares(groups, all) {
    const totals = new Map();
    const keyOf = group => `${group.part} ${group.origin} ${sideOf(group)}`;
    for (const group of all) {
        totals.set(keyOf(group), (totals.get(keyOf(group)) || 0) + group.self);
    }
    for (const group of groups) {
        group.sideNs = totals.get(keyOf(group));
        group.share = group.sideNs > 0 ? group.self / group.sideNs : 0;
    }
    return groups;
}

/* Group numbers by text, one list for each class, origin and part. */
class GroupIndex {
    constructor(profile) {
        this.profile = profile;
        this.groups = [];
        this.ofText = new Map();
    }

    textsOf(track, origin) {
        const key = `${track.part} ${origin} ${track.class}`;
        if (!this.ofText.has(key)) {
            this.ofText.set(key, new Int32Array(this.profile.texts.count).fill(-1));
        }
        return this.ofText.get(key);
    }

    ensure(ofText, text, track, origin, location) {
        if (ofText[text] < 0) {
            ofText[text] = this.groups.length;
            this.groups.push({profile: this.profile, text, class: track.class, origin,
                              part: track.part, location, count: 0, total: 0, self: 0,
                              bytes: 0, hasBytes: false, share: 0, kind: 0});
        }
        return ofText[text];
    }
}

/* Finds the group of each span, and what does not depend on lengths. */
function groupSpans(profile, pieces, counts, filter) {
    const index = new GroupIndex(profile);
    const countsPhases = counts(PHASE);
    for (const {row, first, last, groups} of pieces) {
        const {track} = row;
        const countsTrack = counts(track.class);
        const texts = [];
        for (let i = first; i < last; i++) {
            const at = row.index ? row.index[i] : i;
            const site = row.site[i];
            const flags = track.flags[at];
            const isWanted = profile.siteIsPhase[site] === 1 ? countsPhases : countsTrack;
            if (!isWanted || (flags & FLAG_INSTANT) !== 0 ||
                (filter && !filter.accepts(track, at))) {
                continue;
            }
            const own = flags & FLAG_ORIGIN;
            texts[own] = texts[own] || index.textsOf(track, originOf(profile, track, at));
            const number = index.ensure(texts[own], operatorOf(profile, track, at), track,
                                        originOf(profile, track, at), profile.siteLocation[site]);
            const group = index.groups[number];
            groups[i - first] = number;
            group.count++;
            group.kind = profile.siteKind[site];
            group.location = group.location === profile.siteLocation[site] ? group.location : -1;
            if (track.size && track.size[at] > 0) {
                group.hasBytes = true;
                group.bytes += track.size[at] - 1;
            }
        }
    }
    return index.groups;
}

/* The lengths of all spans, those of a group side by side; adds up time as well. */
function gatherLengths(profile, pieces, groups, starts) {
    const lengths = new Float64Array(starts[starts.length - 1]);
    const next = starts.slice();
    for (const {row, first, last, groups: numbers} of pieces) {
        const {track} = row;
        track.inner = track.inner === undefined ? innerOf(profile, track) : track.inner;
        for (let i = first; i < last; i++) {
            const number = numbers[i - first];
            if (number >= 0) {
                const length = row.end[i] - row.start[i];
                lengths[next[number]++] = length;
                groups[number].total += length;
                groups[number].self += length -
                    (track.inner ? track.inner[row.index ? row.index[i] : i] : 0);
            }
        }
    }
    return lengths;
}
