/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of the page: blobs to profiles, and what is computed from them. report_page.c says how
 * a blob is laid out.
 *
 * A profile's spans end up in rows. The spans of a row do not overlap and are sorted, so any
 * moment is found by halving, and prefix sums answer "how busy between two moments" at once.
 */
'use strict';

/* ---- blobs ---------------------------------------------------------------------------------- */

const DECODER = new TextDecoder();

class Reader {
    constructor(bytes) {
        this.bytes = bytes;
        this.at = 0;
    }

    uint() {
        let byte = this.bytes[this.at++];
        let value = byte & 127;
        for (let scale = 128; byte > 127; scale *= 128) {
            byte = this.bytes[this.at++];
            value += (byte & 127) * scale;
        }
        return value;
    }

    int() {
        const doubled = this.uint();
        return doubled % 2 === 0 ? doubled / 2 : -(doubled + 1) / 2;
    }

    real() {
        const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8);
        this.at += 8;
        return view.getFloat64(0, true);
    }

    string() {
        const length = this.uint();
        this.at += length;
        return DECODER.decode(this.bytes.subarray(this.at - length, this.at));
    }

    /* Fills |out| with numbers of seven bits a byte, the lowest first. */
    uints(out) {
        const bytes = this.bytes;
        let at = this.at;
        for (let i = 0; i < out.length; i++) {
            let byte = bytes[at++];
            let value = byte & 127;
            for (let scale = 128; byte > 127; scale *= 128) {
                byte = bytes[at++];
                value += (byte & 127) * scale;
            }
            out[i] = value;
        }
        this.at = at;
        return out;
    }

    /* |read| as often as the number that comes first says. */
    list(read) {
        return Array.from({length: this.uint()}, () => read(this));
    }
}

function bytesOfBase64(text) {
    if (Uint8Array.fromBase64) {
        return Uint8Array.fromBase64(text);
    }
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) {
        bytes[i] = letters.charCodeAt(i);
    }
    return bytes;
}

async function readBlob(element) {
    const packed = new Blob([bytesOfBase64(element.textContent)]);
    const unpacked = packed.stream().pipeThrough(new DecompressionStream('gzip'));
    return new Reader(new Uint8Array(await new Response(unpacked).arrayBuffer()));
}

/* The texts of a profile, decoded when they are asked for: there may be a million. */
class Texts {
    constructor(reader) {
        this.count = reader.uint();
        this.bytes = reader.bytes;
        this.start = new Uint32Array(this.count);
        this.end = new Uint32Array(this.count);
        for (let i = 0; i < this.count; i++) {
            const length = reader.uint();
            this.start[i] = reader.at;
            reader.at += length;
            this.end[i] = reader.at;
        }
    }

    bytesOf(id) {
        return this.bytes.subarray(this.start[id], this.end[id]);
    }

    get(id) {
        return DECODER.decode(this.bytesOf(id));
    }

    /* Enough of the text to show |letters| letters of it, and to see whether there are more. */
    head(id, letters) {
        const most = this.start[id] + 4 * (Math.ceil(letters) + 2);
        return DECODER.decode(this.bytes.subarray(this.start[id], Math.min(this.end[id], most)));
    }

    /* A small number that is the same for equal texts. */
    hash(id) {
        let hash = 7;
        for (let at = this.start[id]; at < Math.min(this.end[id], this.start[id] + 64); at++) {
            hash = (hash * 31 + this.bytes[at]) >>> 0;
        }
        return hash;
    }
}

/* ---- profiles ------------------------------------------------------------------------------- */

const FLAG_INSTANT = 4;
const FLAG_UNENDED = 8;

function readTrack(reader, id) {
    return {
        id,
        text: reader.uint(),
        parent: reader.uint() - 1,
        laneOf: reader.uint() - 1,
        part: reader.uint(),
        rank: reader.int(),
        class: reader.string(),
        unit: reader.string(),
        nsNumerator: reader.uint(),
        nsDenominator: reader.uint(),
        countsCycles: reader.uint() === 1,
        count: reader.uint(),
        isCounter: reader.uint() === 1,
        hasFlags: reader.uint() === 1,
        hasSizes: reader.uint() === 1,
    };
}

/* Turns differences into the numbers themselves. */
function addUp(numbers) {
    for (let i = 1; i < numbers.length; i++) {
        numbers[i] += numbers[i - 1];
    }
    return numbers;
}

function readColumns(reader, track) {
    const count = track.count;
    track.start = addUp(reader.uints(new Float64Array(count)));
    if (track.isCounter) {
        track.values = Float64Array.from({length: count}, () => reader.real());
        return;
    }
    track.end = reader.uints(new Float64Array(count));
    for (let i = 0; i < count; i++) {
        track.end[i] += track.start[i];
    }
    track.site = reader.uints(new Uint32Array(count));
    track.flags = new Uint8Array(count);
    if (track.hasFlags) {
        track.flags.set(reader.bytes.subarray(reader.at, reader.at + count));
        reader.at += count;
    }
    track.size = track.hasSizes ? reader.uints(new Float64Array(count)) : null;
}

/* Columns by site: the texts of name, category and location, -1 for no location. */
function readSites(reader, profile) {
    const numbers = reader.uints(new Float64Array(3 * reader.uint()));
    const column = at => new Int32Array(numbers.length / 3)
        .map((_, site) => numbers[3 * site + at]);
    profile.siteText = column(0);
    profile.siteCategory = column(1);
    profile.siteLocation = column(2).map(text => text - 1);
}

function readProfile(reader) {
    const profile = {
        texts: new Texts(reader),
        parts: reader.list(r => ({
            name: r.string(), path: r.string(), format: r.string(), generation: r.string(),
            origin: r.string(), clock: r.string(), rows: r.uint(),
        })),
    };
    let id = 0;
    profile.tracks = reader.list(r => readTrack(r, id++));
    readSites(reader, profile);
    profile.losses = reader.list(
        r => ({reason: r.string(), count: r.uint(), line: r.uint(), example: r.string()}));
    profile.attributes = reader.list(r => [r.string(), r.string()]);
    profile.metrics = reader.list(
        r => ({name: r.string(), ns: r.int(), percent: r.real()}));
    profile.spanCount = reader.uint();
    profile.sampleCount = reader.uint();
    profile.flowEndCount = reader.uint();
    profile.endNs = reader.uint();
    profile.tracks.forEach(track => readColumns(reader, track));
    profile.rows = profile.tracks.flatMap(track => (track.isCounter ? [] : rowsOf(track)));
    return profile;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* How many spans of the track each one lies in. */
function depthsOf(track) {
    const depths = new Uint16Array(track.count);
    const open = [];
    for (let i = 0; i < track.count; i++) {
        while (open.length > 0 && open[open.length - 1] <= track.start[i]) {
            open.pop();
        }
        depths[i] = Math.min(open.length, 65535);
        open.push(track.end[i]);
    }
    return depths;
}

function makeRow(track, depth, index) {
    const pick = column => (index ? column.constructor.from(index, i => column[i]) : column);
    const row = {track, depth, index, start: pick(track.start), end: pick(track.end),
                 site: pick(track.site)};
    row.busy = new Float64Array(row.start.length + 1);
    for (let i = 0; i < row.start.length; i++) {
        row.busy[i + 1] = row.busy[i] + row.end[i] - row.start[i];
    }
    return row;
}

/* One row per depth; |index| of a row leads back to the columns of the track. */
function rowsOf(track) {
    if (track.count === 0) {
        return [];
    }
    const depths = depthsOf(track);
    let deepest = 0;
    for (let i = 0; i < depths.length; i++) {
        deepest = Math.max(deepest, depths[i]);
    }
    if (deepest === 0) {
        return [makeRow(track, 0, null)];
    }
    const members = Array.from({length: deepest + 1}, () => []);
    depths.forEach((depth, i) => members[depth].push(i));
    return members.map((list, depth) => makeRow(track, depth, Uint32Array.from(list)));
}

/* The first place in sorted |numbers| from |low| on whose number is at least |wanted|. */
function firstAtLeast(numbers, wanted, low = 0, high = numbers.length) {
    while (low < high) {
        const middle = (low + high) >>> 1;
        if (numbers[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The spans of |row| that touch [from, to): their first and one past their last. */
function rowRange(row, from, to) {
    const first = firstAtLeast(row.end, from);
    return [first, Math.max(first, firstAtLeast(row.start, to))];
}

/* ---- busy time ------------------------------------------------------------------------------ */

/* The union of two sorted lists of intervals. */
function uniteTwo(a, b) {
    const most = a.start.length + b.start.length;
    const start = new Float64Array(most);
    const end = new Float64Array(most);
    let count = 0;
    for (let i = 0, j = 0; i < a.start.length || j < b.start.length;) {
        const takeA = j >= b.start.length || (i < a.start.length && a.start[i] <= b.start[j]);
        const from = takeA ? a.start[i] : b.start[j];
        const to = takeA ? a.end[i++] : b.end[j++];
        if (count > 0 && from <= end[count - 1]) {
            end[count - 1] = Math.max(end[count - 1], to);
        } else {
            start[count] = from;
            end[count++] = to;
        }
    }
    return {start: start.subarray(0, count), end: end.subarray(0, count)};
}

/* The union of many, by halves. */
function unite(lists) {
    if (lists.length === 0) {
        return {start: new Float64Array(0), end: new Float64Array(0)};
    }
    let level = lists;
    while (level.length > 1) {
        const next = [];
        for (let i = 0; i < level.length; i += 2) {
            next.push(i + 1 < level.length ? uniteTwo(level[i], level[i + 1]) : level[i]);
        }
        level = next;
    }
    return level[0];
}

function lengthOf(list) {
    let sum = 0;
    for (let i = 0; i < list.start.length; i++) {
        sum += list.end[i] - list.start[i];
    }
    return sum;
}

function groupBy(items, keyOf) {
    const groups = new Map();
    for (const item of items) {
        const key = keyOf(item);
        if (!groups.has(key)) {
            groups.set(key, []);
        }
        groups.get(key).push(item);
    }
    return groups;
}

/* How the time of a profile divides: by track, by class and overall. */
function summarise(profile) {
    const outer = profile.rows.filter(row => row.depth === 0);
    const first = outer.reduce((least, row) => Math.min(least, row.start[0]), profile.endNs);
    const span = profile.endNs - (outer.length > 0 ? first : 0);
    const engines = [];
    const classes = [];
    const unions = [];
    for (const [name, rows] of groupBy(outer, row => row.track.class)) {
        const tracks = groupBy(
            rows, row => (row.track.laneOf < 0 ? row.track.id : row.track.laneOf));
        const trackUnions = [];
        for (const [id, lanes] of tracks) {
            const union = unite(lanes);
            trackUnions.push(union);
            engines.push({track: id, class: name, busyNs: lengthOf(union)});
        }
        const union = unite(trackUnions);
        unions.push(union);
        classes.push({name, busyNs: lengthOf(union), trackCount: tracks.size});
    }
    const byOrder = (a, b) => classOrder(a) - classOrder(b);
    classes.sort((a, b) => byOrder(a.name, b.name));
    engines.sort((a, b) => byOrder(a.class, b.class) || a.track - b.track);
    const busyNs = lengthOf(unite(unions));
    return {firstNs: first, spanNs: span, busyNs, idleNs: Math.max(0, span - busyNs), classes,
            engines, lost: profile.losses.reduce((sum, loss) => sum + loss.count, 0)};
}

/* ---- operators ------------------------------------------------------------------------------ */

/*
 * Time by name and class over the rows that |accepts| lets through, between |from| and |to|.
 * Percentiles are of the nearest rank, so each is the length of some span.
 */
function summariseOps(profile, accepts, from, to) {
    const pieces = profile.rows.filter(row => accepts(row.track)).map(row => {
        const [first, last] = rowRange(row, from, to);
        return {row, first, last};
    });
    const groups = countGroups(profile, pieces);
    const starts = new Uint32Array(groups.count.length + 1);
    groups.count.forEach((count, group) => {
        starts[group + 1] = starts[group] + count;
    });
    const lengths = gatherLengths(profile, pieces, groups, starts);
    return groups.count.map((count, group) => {
        const sorted = lengths.subarray(starts[group], starts[group + 1]);
        if (count > 1) {
            sorted.sort();
        }
        const rank = part => sorted[Math.max(0, Math.ceil(part * count) - 1)];
        return {
            profile, text: groups.text[group], class: groups.class[group], count,
            total: groups.total[group], mean: groups.total[group] / count, p50: rank(0.5),
            p99: rank(0.99), min: sorted[0], max: sorted[count - 1], bytes: groups.bytes[group],
            share: 0,
        };
    });
}

/* Numbers the groups as they come up: of each class, by the text of the name. */
function countGroups(profile, pieces) {
    const groups = {text: [], class: [], count: [], total: [], bytes: [], ofText: new Map()};
    for (const {row, first, last} of pieces) {
        const name = row.track.class;
        if (!groups.ofText.has(name)) {
            groups.ofText.set(name, new Int32Array(profile.texts.count).fill(-1));
        }
        const ofText = groups.ofText.get(name);
        for (let i = first; i < last; i++) {
            const text = profile.siteText[row.site[i]];
            let group = ofText[text];
            if (group < 0) {
                group = ofText[text] = groups.count.length;
                groups.text.push(text);
                groups.class.push(name);
                groups.count.push(0);
                groups.total.push(0);
                groups.bytes.push(0);
            }
            groups.count[group]++;
        }
    }
    return groups;
}

/* The lengths of all spans, those of a group side by side; adds up time and bytes as well. */
function gatherLengths(profile, pieces, groups, starts) {
    const lengths = new Float64Array(starts[starts.length - 1]);
    const next = starts.slice();
    for (const {row, first, last} of pieces) {
        const ofText = groups.ofText.get(row.track.class);
        const size = row.track.size;
        for (let i = first; i < last; i++) {
            const group = ofText[profile.siteText[row.site[i]]];
            const length = row.end[i] - row.start[i];
            lengths[next[group]++] = length;
            groups.total[group] += length;
            if (size) {
                groups.bytes[group] += Math.max(0, size[row.index ? row.index[i] : i] - 1);
            }
        }
    }
    return lengths;
}
