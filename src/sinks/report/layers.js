/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layers of the model: where spans are among them, what launched a span, and the tree with its
 * numbers. The numbers of the whole profile are those of 'tacho ops --by layer'; those of a
 * selection are added up here, span by span, in the same way.
 */

/* ---- where a span is ------------------------------------------------------------------------ */

/* The layer of a span and its side, or null where it counts for none. */
function placeOf(track, index) {
    const code = track.places ? track.places[index] : 0;
    return code === 0 ? null
        : {node: (code - 1) >> 2, isPiece: ((code - 1) & 2) !== 0, isDevice: ((code - 1) & 1) !== 0};
}

/* The paths of layers by number, "encoder/layer.3"; that of the root is empty. */
function layerPaths(profile) {
    if (!profile.paths) {
        profile.paths = [];
        profile.layers.forEach(({parent, text}, node) => {
            const name = profile.texts.get(text);
            profile.paths.push(node === 0 ? ''
                : parent === 0 ? name : `${profile.paths[parent]}/${name}`);
        });
    }
    return profile.paths;
}

/* For each layer whether it is |path| or in it. */
function layersIn(profile, path) {
    const isIn = new Uint8Array(profile.layers.length);
    layerPaths(profile).forEach((name, node) => {
        isIn[node] = name === path || (node > 0 && isIn[profile.layers[node].parent]) ? 1 : 0;
    });
    return isIn;
}

/* ---- what launched a span ------------------------------------------------------------------- */

const leadOf = track => (track.laneOf < 0 ? track.id : track.laneOf);

/* The spans around |time| on a track and its lanes, the outermost first. */
function spansAround(profile, lead, time) {
    const found = [];
    for (const row of profile.rows) {
        if (leadOf(row.track) === lead) {
            const at = firstAtLeast(row.start, time + 1) - 1;
            if (at >= 0 && (row.end[at] > time || row.start[at] === time)) {
                found.push({row, at, profile});
            }
        }
    }
    return found.sort((a, b) => a.row.start[a.at] - b.row.start[b.at] ||
        b.row.end[b.at] - a.row.end[a.at] || a.row.depth - b.row.depth);
}

const indexOf = ({row, at}) => (row.index ? row.index[at] : at);

/* The calls that led to a span, the launch last; empty where none is known. */
function callsOf(span) {
    const {row: {track}, profile} = span;
    const index = indexOf(span);
    if (!track.launchTrack || track.launchTrack[index] < 0) {
        return [];
    }
    return spansAround(profile, leadOf(profile.tracks[track.launchTrack[index]]),
                       track.launchTime[index]);
}

/* What a call launched, at most |most| spans. */
function launchedBy(span, most) {
    const {profile, row, at} = span;
    const lead = leadOf(row.track);
    const found = [];
    for (const candidate of profile.rows.filter(other => other.track.launchTrack)) {
        const {track} = candidate;
        for (let i = 0; i < candidate.start.length && found.length < most; i++) {
            const index = candidate.index ? candidate.index[i] : i;
            const from = track.launchTrack[index];
            if (from >= 0 && leadOf(profile.tracks[from]) === lead &&
                track.launchTime[index] >= row.start[at] && track.launchTime[index] < row.end[at]) {
                found.push({row: candidate, at: i, profile});
            }
        }
    }
    return found;
}

/* ---- the tree ------------------------------------------------------------------------------- */

const LAYER_NUMBERS = {deviceTotal: 'device_total_ns', deviceSelf: 'device_self_ns',
                       pieces: 'work_count', hostTotal: 'host_total_ns', hostSelf: 'host_self_ns',
                       count: 'count'};

/* Rows of a table as objects, by the names of columns. */
function rowObjects(table) {
    return table ? table.rows.map(row => Object.fromEntries(
        table.columns.map(({name}, i) => [name, row[i]]))) : [];
}

/* The row that |row| lies in: of a depth less, and a path that its own starts with. */
function outerRow(byPath, row) {
    for (let at = row.path.lastIndexOf('/'); at > 0; at = row.path.lastIndexOf('/', at - 1)) {
        const outer = byPath.get(row.path.slice(0, at));
        if (outer && outer.depth === row.depth - 1) {
            return outer;
        }
    }
    return null;
}

/* Adds to each row how many pieces of work are in it and in all inside. */
function countInside(rows) {
    rows.forEach(row => {
        row.piecesIn = row.pieces || 0;
    });
    for (const row of [...rows].sort((a, b) => b.depth - a.depth)) {
        if (row.outer) {
            row.outer.piecesIn += row.piecesIn;
        }
    }
}

/* The layers of a profile as rows of a tree, for each part and origin; of all spans. */
function layerRows(profile) {
    const rows = rowObjects(profile.tables.get('groups')).map(cells => ({
        profile, file: cells.file, origin: cells.origin, path: cells.depth > 0 ? cells.layer : '',
        label: cells.layer, depth: cells.depth, children: [], outer: null,
        ...Object.fromEntries(Object.entries(LAYER_NUMBERS).map(
            ([key, column]) => [key, cells[column]]))}));
    for (const [, same] of groupBy(rows, row => `${row.origin} ${row.file}`)) {
        const byPath = new Map(same.map(row => [row.path, row]));
        const all = key => same.reduce((sum, row) => sum + Math.max(0, row[key] || 0), 0);
        const [allDevice, allHost] = [all('deviceSelf'), all('hostSelf')];
        for (const row of same) {
            row.outer = row.depth > 1 ? outerRow(byPath, row) : null;
            row.label = row.outer ? row.path.slice(row.outer.path.length + 1) : row.label;
            Object.assign(row, {allDevice, allHost});
            if (row.outer) {
                row.outer.children.push(row);
            }
        }
        countInside(same);
    }
    return rows;
}

const emptySums = count => ({deviceTotal: new Float64Array(count), pieces: new Float64Array(count),
                             hostTotal: new Float64Array(count)});

/* For each span that counts for a layer the time of those directly inside it; null: none. */
function placedInner(track) {
    if (track.placedInner === undefined) {
        track.placedInner = innerWhere(track, i => track.places[i] > 0);
    }
    return track.placedInner;
}

/* Adds the spans of a track that |filter| accepts to sums by layer; |sumsOf| by origin. */
function addTrackSums(profile, track, filter, sumsOf) {
    const {hasWholes} = profile.parts[track.part];
    const inner = placedInner(track);
    for (let i = 0; i < track.count; i++) {
        const place = placeOf(track, i);
        if (!place || (place.isPiece && hasWholes) || !filter.accepts(track, i)) {
            continue;
        }
        const sums = sumsOf(originOf(profile, track, i));
        const self = track.end[i] - track.start[i] - (inner ? inner[i] : 0);
        sums[place.isDevice ? 'deviceTotal' : 'hostTotal'][place.node] += self;
        sums.pieces[place.node] += place.isDevice ? 1 : 0;
    }
}

/* Totals by layer of the spans that |filter| accepts: a map by file and origin. */
function sumLayers(profile, filter) {
    const all = new Map();
    for (const track of profile.tracks.filter(candidate => candidate.places)) {
        const {name} = profile.parts[track.part];
        addTrackSums(profile, track, filter, origin => {
            const key = `${origin} ${name}`;
            if (!all.has(key)) {
                all.set(key, emptySums(profile.layers.length));
            }
            return all.get(key);
        });
    }
    for (const sums of all.values()) {
        for (let node = profile.layers.length - 1; node > 0; node--) {
            const {parent} = profile.layers[node];
            if (parent > 0) {
                sums.deviceTotal[parent] += sums.deviceTotal[node];
                sums.hostTotal[parent] += sums.hostTotal[node];
                sums.pieces[parent] += sums.pieces[node];
            }
        }
    }
    return all;
}

/* The tree with the numbers of what |filter| accepts; layers without any are left out. */
function filteredRows(profile, rows, filter) {
    const all = sumLayers(profile, filter);
    const nodes = new Map(layerPaths(profile).map((path, node) => [path, node]));
    for (const row of rows) {
        const sums = all.get(`${row.origin} ${row.file}`);
        const node = nodes.get(row.path);
        const value = key => (sums && node !== undefined ? sums[key][node] : 0);
        Object.assign(row, {deviceTotal: value('deviceTotal'), hostTotal: value('hostTotal'),
                            piecesIn: value('pieces'), count: null});
    }
    return rows.filter(row => row.deviceTotal > 0 || row.hostTotal > 0 || row.piecesIn > 0);
}
