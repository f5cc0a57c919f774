/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The data of the page: blobs to profiles, and how busy they are.
 *
 * A profile's spans end up in rows. The spans of a row do not overlap and are sorted, so any
 * moment is found by halving, and prefix sums answer "how busy between two moments" at once.
 */

/* ---- profiles ------------------------------------------------------------------------------- */

const FLAG_ORIGIN = 3; /* the span's own origin, 0 for that of its part */
const FLAG_INSTANT = 4;
const FLAG_UNENDED = 8;
const ORIGINS = ['unknown', 'estimated', 'simulated', 'measured'];
const PHASE = 'phase';
const KINDS = ['compute', 'communication', 'copy'];

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
        hasTypes: reader.uint() === 1,
        hasCounts: reader.uint() === 1,
        hasPlaces: reader.uint() === 1,
        hasLaunches: reader.uint() === 1,
        hasFacts: reader.uint() === 1,
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
    track.type = track.hasTypes ? reader.uints(new Uint32Array(count)) : null;
    /* Arguments as a text, "grid<tab>64x3x1" a line: a place among the types, plus one. */
    track.facts = track.hasFacts ? reader.uints(new Uint32Array(count)) : null;
    /* How many spans each one stands for, and how long these were busy; null where all are one. */
    track.counts = track.hasCounts ? reader.uints(new Float64Array(count)) : null;
    track.filled = track.hasCounts ? reader.uints(new Float64Array(count)) : null;
    /* Where each one is: see placeOf(); and the track and time of the call that launched it. */
    track.places = track.hasPlaces ? reader.uints(new Uint32Array(count)) : null;
    if (track.hasLaunches) {
        readLaunches(reader, track);
    }
}

function readLaunches(reader, track) {
    track.launchTrack = new Int32Array(track.count).fill(-1);
    track.launchTime = new Float64Array(track.count);
    let time = 0;
    for (let i = 0; i < track.count; i++) {
        track.launchTrack[i] = reader.uint() - 1;
        if (track.launchTrack[i] >= 0) {
            time += reader.int();
            track.launchTime[i] = time;
        }
    }
}

/* How many spans span |index| of |track| stands for. */
function countOf(track, index) {
    return track.counts ? track.counts[index] : 1;
}

function readOp(reader, profile) {
    const op = {profile, part: reader.uint(), origin: reader.string(), class: reader.string(),
                isPhase: reader.uint() === 1, text: reader.uint(), location: reader.uint() - 1};
    for (const key of ['count', 'total', 'self', 'mean', 'p50', 'p99', 'min', 'max']) {
        op[key] = reader.uint();
    }
    op.isSketched = reader.uint() === 1;
    const bytes = reader.uint();
    return {...op, hasBytes: bytes > 0, bytes: Math.max(0, bytes - 1), share: 0};
}

/*
 * Columns by site: the texts of name, category and location, -1 for no location; whether it is
 * drawn around the work of others; what kind of work it is (KINDS); what its operator is called.
 */
function readSites(reader, profile) {
    const numbers = reader.uints(new Float64Array(4 * reader.uint()));
    const column = at => new Int32Array(numbers.length / 4)
        .map((_, site) => numbers[4 * site + at]);
    profile.siteText = column(0);
    profile.siteCategory = column(1);
    profile.siteLocation = column(2).map(text => text - 1);
    profile.siteIsPhase = Uint8Array.from(column(3), flags => flags & 1);
    profile.siteKind = Uint8Array.from(column(3), flags => flags >> 1);
    profile.hasPhaseSites = profile.siteIsPhase.includes(1);
    profile.siteOperator = profile.siteText.map((text, site) => (
        profile.texts.isEmpty(text) ? profile.siteCategory[site] : text));
}

/* Whether the spans of a track differ in origin, or some of them are moments or phases. */
function isMixed(profile, track) {
    for (let i = 0; i < track.count; i++) {
        if ((track.flags[i] & (FLAG_ORIGIN | FLAG_INSTANT)) !== 0 ||
            profile.siteIsPhase[track.site[i]] === 1) {
            return true;
        }
    }
    return false;
}

/* The text that says which operator span |index| of |track| ran. */
function operatorOf(profile, track, index) {
    const type = track.type ? track.type[index] : 0;
    return type > 0 ? profile.types[type - 1] : profile.siteOperator[track.site[index]];
}

function originOf(profile, track, index) {
    const own = track.flags[index] & FLAG_ORIGIN;
    return own > 0 ? ORIGINS[own] : profile.parts[track.part].origin;
}

/* A table as an analysis made it: columns, and rows of values, null where there is none. */
function readTable(reader) {
    const [name, title] = [reader.string(), reader.string()];
    const columns = reader.list(
        r => ({name: r.string(), title: r.string(), type: r.string(), unit: r.string()}));
    const value = {text: r => r.string(), real: r => r.real(), percent: r => r.real()};
    const rows = reader.list(r => columns.map(
        ({type}) => (r.uint() === 0 ? null : (value[type] || (x => x.int()))(r))));
    return {name, title, columns, rows};
}

function readProfile(reader) {
    const profile = {
        texts: new Texts(reader),
        parts: reader.list(r => ({
            name: r.string(), path: r.string(), format: r.string(), generation: r.string(),
            origin: r.string(), clock: r.string(), rows: r.uint(), hasWholes: r.uint() === 1,
        })),
    };
    let id = 0;
    profile.tracks = reader.list(r => readTrack(r, id++));
    readSites(reader, profile);
    profile.types = reader.list(r => r.uint());
    profile.layers = reader.list(r => ({parent: r.uint(), text: r.uint()}));
    profile.losses = reader.list(
        r => ({reason: r.string(), count: r.uint(), line: r.uint(), example: r.string()}));
    profile.attributes = reader.list(r => [r.string(), r.string()]);
    profile.metrics = reader.list(
        r => ({part: r.uint(), origin: r.string(), name: r.string(), ns: r.int(), percent: r.real()}));
    profile.spanCount = reader.uint();
    profile.sampleCount = reader.uint();
    profile.flowEndCount = reader.uint();
    profile.endNs = reader.uint();
    profile.resolutionNs = reader.uint(); /* 0: every span is there, and operators are worked out */
    profile.ops = reader.list(r => readOp(r, profile));
    profile.tables = new Map();
    for (const table of reader.list(readTable)) {
        const known = profile.tables.get(table.name);
        if (known) { /* such as notes of several analyses */
            known.rows.push(...table.rows);
        } else {
            profile.tables.set(table.name, table);
        }
    }
    profile.tracks.forEach(track => readColumns(reader, track));
    profile.rows = profile.tracks.flatMap(track => (track.isCounter ? [] : rowsOf(track)));
    for (const track of profile.tracks) {
        track.isPhase = track.class === PHASE;
        track.isMixed = !track.isCounter && (track.hasFlags || profile.hasPhaseSites) &&
            isMixed(profile, track);
    }
    profile.hasPhases = profile.tracks.some(track => track.isPhase && track.count > 0) ||
        profile.hasPhaseSites;
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

/*
 * For each span of the track the time of those directly inside it, or null where none has any.
 * Moments, and stretches around other work, are looked through.
 */
function innerOf(profile, track) {
    return innerWhere(track, i => !track.isPhase && profile.siteIsPhase[track.site[i]] !== 1);
}

/* The same among the spans that |counts| accepts. */
function innerWhere(track, counts) {
    let inner = null;
    const open = [];
    for (let i = 0; i < track.count; i++) {
        if ((track.flags[i] & FLAG_INSTANT) !== 0 || !counts(i)) {
            continue;
        }
        while (open.length > 0 && track.end[open[open.length - 1]] <= track.start[i]) {
            open.pop();
        }
        if (open.length > 0) {
            inner = inner || new Float64Array(track.count);
            inner[open[open.length - 1]] += track.end[i] - track.start[i];
        }
        open.push(i);
    }
    return inner;
}

/* Adds sums of the time before each interval of a sorted list; stretches may have gaps. */
function withBusy(list) {
    if (!list.busy) {
        list.busy = new Float64Array(list.start.length + 1);
        for (let i = 0; i < list.start.length; i++) {
            list.busy[i + 1] = list.busy[i] +
                (list.filled ? list.filled[i] : list.end[i] - list.start[i]);
        }
    }
    return list;
}

function makeRow(track, depth, index) {
    const pick = column => (index ? column.constructor.from(index, i => column[i]) : column);
    const row = {track, depth, index, start: pick(track.start), end: pick(track.end),
                 site: pick(track.site), filled: track.filled && pick(track.filled)};
    return withBusy(row);
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

/* Intervals that come by their start, those that touch as one. */
class Union {
    constructor() {
        this.start = [];
        this.end = [];
    }

    add(start, end) {
        const last = this.end.length - 1;
        if (last >= 0 && start <= this.end[last]) {
            this.end[last] = Math.max(this.end[last], end);
        } else {
            this.start.push(start);
            this.end.push(end);
        }
    }
}

/*
 * The busy time of a track, apart by origin and by whether it is work or a phase: a list of
 * {origin, isPhase, count, list}. All spans lie in those of depth 0.
 */
function shareTrack(profile, track, outer) {
    if (!track.isMixed) {
        return [{origin: profile.parts[track.part].origin, isPhase: track.isPhase,
                 count: track.counts ? track.counts.reduce((a, b) => a + b, 0) : track.count,
                 list: outer, gapNs: lengthOf(outer) - outer.busy[outer.busy.length - 1]}];
    }
    const shares = new Map();
    for (let i = 0; i < track.count; i++) {
        const isPhase = track.isPhase || profile.siteIsPhase[track.site[i]] === 1;
        const key = (track.flags[i] & FLAG_ORIGIN) * 2 + (isPhase ? 1 : 0);
        if (!shares.has(key)) {
            shares.set(key, {origin: originOf(profile, track, i), isPhase, count: 0,
                             list: new Union(), gapNs: 0});
        }
        const share = shares.get(key);
        share.count += countOf(track, i);
        if ((track.flags[i] & FLAG_INSTANT) === 0) {
            share.list.add(track.start[i], track.end[i]);
        }
    }
    return [...shares.values()];
}

/* First start and last end of the events of a part. */
function extentOf(profile, part) {
    const rows = profile.rows.filter(row => row.track.part === part);
    let first = Infinity, last = 0;
    for (const row of rows) {
        first = Math.min(first, row.start[0]);
        last = row.end.reduce((a, b) => Math.max(a, b), last);
    }
    for (const track of profile.tracks) {
        if (track.isCounter && track.part === part && track.count > 0) {
            first = Math.min(first, track.start[0]);
            last = Math.max(last, track.start[track.count - 1]);
        }
    }
    return first === Infinity ? 0 : last - first;
}

function makeGroup(profile, part, origin) {
    return {part, origin, spanCount: 0, phaseCount: 0, trackIds: new Set(), shares: [],
            metrics: profile.metrics.filter(m => m.part === part && m.origin === origin)};
}

/* Adds up the shares of a group: by track, by class and overall. Phases are in no sum. */
function finishGroup(profile, group) {
    const {shares, trackIds, ...facts} = group;
    const engines = [];
    for (const [, same] of groupBy(shares, share => 2 * share.lead + (share.isPhase ? 1 : 0))) {
        const {lead, isPhase} = same[0];
        const union = unite(same.map(share => share.list));
        const gapNs = same.reduce((sum, share) => sum + share.gapNs, 0);
        engines.push({track: lead, class: isPhase ? PHASE : profile.tracks[lead].class, isPhase,
                      union, busyNs: Math.max(0, lengthOf(union) - gapNs),
                      spanCount: union.start.length});
    }
    const byOrder = (a, b) => classOrder(a) - classOrder(b);
    engines.sort((a, b) => byOrder(a.class, b.class) || a.track - b.track);
    const work = engines.filter(engine => !engine.isPhase && engine.union.start.length > 0);
    const classes = [...groupBy(work, engine => engine.class)].map(([name, same]) => ({
        name, busyNs: lengthOf(unite(same.map(engine => engine.union))), trackCount: same.length}));
    const all = unite(work.map(engine => engine.union));
    const busyNs = lengthOf(all);
    const unionOf = names => unite(work.filter(engine => names.includes(engine.class))
        .map(engine => engine.union));
    const hostUnion = unionOf(HOST_CLASSES);
    const deviceUnion = unionOf(DEVICE_CLASSES);
    const [hostNs, deviceNs] = [lengthOf(hostUnion), lengthOf(deviceUnion)];
    const deviceHull = deviceNs === 0 ? null
        : {from: deviceUnion.start[0], to: deviceUnion.end[deviceUnion.end.length - 1]};
    const spanNs = all.start.length > 0 ? all.end[all.end.length - 1] - all.start[0] : 0;
    return {...facts, engines, classes, busyNs, hostNs, deviceNs, hostUnion, deviceHull, spanNs, idleNs: spanNs - busyNs,
            hasWork: work.length > 0, trackCount: trackIds.size,
            extentNs: extentOf(profile, group.part)};
}

/* How the time of a profile divides: a group for each part and origin, never summed together. */
function summarise(profile) {
    const groups = new Map();
    const groupOf = (part, origin) => {
        const key = `${part} ${origin}`;
        if (!groups.has(key)) {
            groups.set(key, makeGroup(profile, part, origin));
        }
        return groups.get(key);
    };
    profile.parts.forEach(({origin}, part) => groupOf(part, origin));
    const outer = new Map(profile.rows.filter(row => row.depth === 0)
        .map(row => [row.track, row]));
    for (const [track, row] of outer) {
        const lead = track.laneOf < 0 ? track.id : track.laneOf;
        for (const share of shareTrack(profile, track, row)) {
            const group = groupOf(track.part, share.origin);
            group.shares.push({...share, lead});
            group.spanCount += share.count;
            group.phaseCount += share.isPhase ? share.count : 0;
            group.trackIds.add(lead);
        }
    }
    return [...groups.values()].map(group => finishGroup(profile, group));
}
