/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Perfetto trace of profiles, made in the page. It has the tracks, names, categories, locations
 * and times of the one that 'tacho convert' writes; arrows and other arguments are not on the page.
 *
 * All events are on one sequence, in order of time, with interned strings.
 */

const TRACE_ABOUT =
    'Written by a report page of tacho: names, times and source locations. ' +
    'Arguments and arrows are in the trace that tacho convert writes. ' +
    'Times count from the first event of each input.';
const TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4;
const LARGEST_EXACT = 2 ** 53;

class TraceWriter {
    constructor(room) {
        this.bytes = new Uint8Array(room);
        this.at = 0;
        this.encoder = new TextEncoder();
    }

    reserve(length) {
        if (this.at + length > this.bytes.length) {
            const larger = new Uint8Array(Math.max(2 * this.bytes.length, this.at + length));
            larger.set(this.bytes.subarray(0, this.at));
            this.bytes = larger;
        }
    }

    varint(value) {
        while (value > 127) {
            this.bytes[this.at++] = (value % 128) | 128;
            value = Math.floor(value / 128);
        }
        this.bytes[this.at++] = value;
    }

    uint(field, value) {
        this.reserve(20);
        this.varint(field * 8);
        this.varint(value);
    }

    /* A number that may be negative: ten bytes then. */
    int(field, value) {
        if (value >= 0) {
            this.uint(field, value);
            return;
        }
        this.reserve(20);
        this.varint(field * 8);
        let bits = BigInt.asUintN(64, BigInt(value));
        for (; bits > 127n; bits >>= 7n) {
            this.bytes[this.at++] = Number(bits & 127n) | 128;
        }
        this.bytes[this.at++] = Number(bits);
    }

    double(field, value) {
        this.reserve(20);
        this.varint(field * 8 + 1);
        new DataView(this.bytes.buffer).setFloat64(this.at, value, true);
        this.at += 8;
    }

    string(field, text) {
        const bytes = this.encoder.encode(text);
        this.reserve(20 + bytes.length);
        this.varint(field * 8 + 2);
        this.varint(bytes.length);
        this.bytes.set(bytes, this.at);
        this.at += bytes.length;
    }

    /* A nested message, whose length is known when |write| has run. */
    message(field, write) {
        this.reserve(20);
        this.varint(field * 8 + 2);
        const start = ++this.at;
        write();
        const length = this.at - start;
        if (length > 127) {
            const extra = Math.ceil(Math.log2(length + 1) / 7) - 1;
            this.reserve(extra);
            this.bytes.copyWithin(start + extra, start, this.at);
            this.at += extra;
        }
        const end = this.at;
        this.at = start - 1;
        this.varint(length);
        this.at = end;
    }

    packet(write) {
        this.message(1, write);
    }

    finished() {
        return this.bytes.slice(0, this.at);
    }
}

/* ---- what comes before the events ----------------------------------------------------------- */

function writeAttribute(writer, key, value) {
    writer.packet(() => writer.message(126, () => writer.message(1, () => {
        writer.string(1, key);
        writer.string(3, value);
    })));
}

function writeSequenceStart(writer) {
    writer.packet(() => {
        writer.uint(10, 1); /* sequence */
        writer.uint(13, 1); /* state cleared */
        writer.uint(87, 1); /* first packet */
    });
    writer.packet(() => writer.message(60, () => {
        writer.uint(1, 0);
        writer.uint(19, 1); /* processes by rank */
        writer.uint(20, 1); /* threads by rank */
    }));
}

function varintLength(value) {
    let length = 1;
    for (; value > 127; value = Math.floor(value / 128)) {
        length++;
    }
    return length;
}

/* One interned string, already UTF-8. There may be a million: lengths are computed, not moved. */
function writeInterned(writer, field, iid, text) {
    const entry = 2 + varintLength(iid) + varintLength(text.length) + text.length;
    const data = varintLength(field * 8) + varintLength(entry) + entry;
    writer.reserve(64 + text.length);
    writer.varint((1 << 3) | 2);
    writer.varint(5 + varintLength(data) + data);
    writer.varint(10 << 3);
    writer.varint(1);
    writer.varint(13 << 3);
    writer.varint(2); /* needs the state */
    writer.varint((12 << 3) | 2);
    writer.varint(data);
    writer.varint((field << 3) | 2);
    writer.varint(entry);
    writer.varint(1 << 3);
    writer.varint(iid);
    writer.varint((2 << 3) | 2);
    writer.varint(text.length);
    writer.bytes.set(text, writer.at);
    writer.at += text.length;
}

function writeProcess(writer, plan, track) {
    const part = plan.profile.parts[track.part];
    const isAlone = plan.isAlone;
    writer.message(3, () => {
        writer.uint(1, plan.partBase + track.part + 1);
        writer.string(6, `${part.name} (${part.origin}${isAlone ? '' : ', not aligned'})`);
        writer.string(8, part.origin);
        if (!isAlone) {
            writer.string(8, 'not aligned');
        }
    });
}

function writeCounterFacts(writer, unit) {
    const known = {ns: 1, count: 2, bytes: 3}[unit];
    writer.message(8, () => {
        if (known) {
            writer.uint(3, known);
        } else if (unit !== '') {
            writer.string(6, unit);
        }
    });
}

/* Ranks hold among processes, threads, and what lies in a plain track: a box for the others. */
const RANKS_OF_PART = 2 ** 25;
const BOXES = {Tracks: 2 ** 40, Counters: 2 ** 41};

function writeBox(writer, plan, name, parent) {
    const uuid = BOXES[name] + parent;
    if (!plan.boxes.has(uuid)) {
        plan.boxes.add(uuid);
        writer.packet(() => writer.message(60, () => {
            writer.uint(1, uuid);
            writer.string(2, name);
            writer.uint(5, parent);
            writer.uint(11, 3); /* children by rank */
        }));
    }
    return uuid;
}

/* The track that |track| is written under; undefined for a process or a thread of one. */
function parentOf(writer, plan, track) {
    if (track.parent < 0) {
        return undefined;
    }
    const {tracks} = plan.profile;
    const parent = plan.trackBase + track.parent + 1;
    if (tracks[track.parent].parent >= 0) {
        return parent;
    }
    if (track.isCounter) {
        return writeBox(writer, plan, 'Counters', parent);
    }
    if (plan.holders.has(track.id)) {
        return writeBox(writer, plan, 'Tracks', parent);
    }
    return track.laneOf < 0 ? undefined : plan.trackBase + track.laneOf + 1;
}

function writeThread(writer, plan, track) {
    writer.message(4, () => {
        writer.uint(1, plan.partBase + track.part + 1);
        writer.uint(2, plan.trackBase + track.id + 1);
        writer.string(5, plan.profile.texts.get(track.text));
    });
}

function writeTrack(writer, plan, track) {
    const uuid = id => plan.trackBase + id + 1;
    const parent = parentOf(writer, plan, track);
    writer.packet(() => writer.message(60, () => {
        writer.uint(1, uuid(track.id));
        if (track.parent < 0) {
            writeProcess(writer, plan, track);
        } else if (parent === undefined) {
            writeThread(writer, plan, track);
        } else {
            writer.string(2, plan.profile.texts.get(track.text));
            writer.uint(5, parent);
            if (track.isCounter) {
                writeCounterFacts(writer, track.unit);
            } else {
                writer.uint(15, 3); /* lanes of one key are one row */
                writer.uint(17, uuid(track.laneOf < 0 ? track.id : track.laneOf));
            }
        }
        writer.uint(11, 3); /* children by rank */
        if (track.laneOf < 0 || parent !== uuid(track.laneOf)) {
            writer.int(12, track.parent < 0 ? (plan.partBase + track.rank) * RANKS_OF_PART
                                            : track.rank);
        }
    }));
}

function writeTracks(writer, plan) {
    const {tracks} = plan.profile;
    const needed = new Set();
    for (const track of tracks) {
        for (let id = track.count > 0 ? track.id : -1; id >= 0; id = tracks[id].parent) {
            needed.add(id);
        }
    }
    plan.boxes = new Set();
    plan.holders = new Set(tracks.map(track => track.parent));
    tracks.filter(track => needed.has(track.id)).forEach(track => writeTrack(writer, plan, track));
}

/* Writes the strings of the sites, and makes of each site the bytes it adds to its events. */
function writeSites(writer, plan) {
    const {texts, siteText, siteCategory, siteLocation} = plan.profile;
    const written = {1: new Uint8Array(texts.count), 2: new Uint8Array(texts.count),
                     29: new Uint8Array(texts.count)};
    const iidOf = (field, text) => {
        const iid = plan.textBase + text + 1;
        if (written[field][text] === 0) {
            written[field][text] = 1;
            writeInterned(writer, field, iid, texts.bytesOf(text));
        }
        return iid;
    };
    const all = new TraceWriter(32 * siteText.length);
    plan.siteStart = new Uint32Array(siteText.length + 1);
    for (let site = 0; site < siteText.length; site++) {
        all.uint(10, iidOf(2, siteText[site]));
        all.uint(3, iidOf(1, siteCategory[site]));
        if (siteLocation[site] >= 0) {
            const location = iidOf(29, siteLocation[site]);
            all.uint(4, 0);
            all.bytes[all.at - 2] |= 2; /* a message, not a number */
            all.bytes[all.at - 1] = 4 + varintLength(location);
            all.uint(1, 1); /* the one annotation name there is: location */
            all.uint(17, location);
        }
        plan.siteStart[site + 1] = all.at;
    }
    plan.siteBytes = all.bytes;
}

/* ---- events --------------------------------------------------------------------------------- */

/* The events of a track one after the other; of equal times an end comes before a begin. */
class TrackEvents {
    constructor(plan, track) {
        this.plan = plan;
        this.track = track;
        this.uuid = plan.trackBase + track.id + 1;
        this.next = 0;
        this.open = []; /* ends of open spans, the innermost last */
        this.find();
    }

    find() {
        const innermost = this.open.length > 0 ? this.open[this.open.length - 1] : Infinity;
        const begin = this.next < this.track.count ? this.track.start[this.next] : Infinity;
        this.isEnd = innermost <= begin;
        this.time = this.isEnd ? innermost : begin;
        this.isDone = this.time === Infinity;
    }

    write(writer) {
        if (this.isEnd) {
            writeEvent(writer, this.time, TYPE_END, this.uuid, this.plan, -1);
            this.open.pop();
        } else if (this.track.isCounter) {
            writeSample(writer, this.time, this.uuid, this.track.values[this.next++]);
        } else {
            const isInstant = (this.track.flags[this.next] & FLAG_INSTANT) !== 0;
            writeEvent(writer, this.time, isInstant ? TYPE_INSTANT : TYPE_BEGIN, this.uuid,
                       this.plan, this.track.site[this.next]);
            if (!isInstant) {
                this.open.push(this.track.end[this.next]);
            }
            this.next++;
        }
        this.find();
    }
}

/* Below 128 bytes always, so that both lengths are one byte. */
function writeEvent(writer, time, type, uuid, plan, site) {
    writer.reserve(128);
    const bytes = writer.bytes;
    bytes[writer.at++] = 0x0a; /* packet */
    const packet = ++writer.at;
    bytes[writer.at++] = 8 << 3;
    writer.varint(time);
    bytes[writer.at++] = 10 << 3;
    bytes[writer.at++] = 1;
    bytes[writer.at++] = 13 << 3;
    bytes[writer.at++] = 2;
    bytes[writer.at++] = (11 << 3) | 2; /* track event */
    const event = ++writer.at;
    bytes[writer.at++] = 9 << 3;
    bytes[writer.at++] = type;
    bytes[writer.at++] = 11 << 3;
    writer.varint(uuid);
    if (site >= 0) {
        for (let at = plan.siteStart[site]; at < plan.siteStart[site + 1]; at++) {
            bytes[writer.at++] = plan.siteBytes[at];
        }
    }
    bytes[event - 1] = writer.at - event;
    bytes[packet - 1] = writer.at - packet;
}

function writeSample(writer, time, uuid, value) {
    if (!Number.isFinite(value)) {
        return;
    }
    writer.packet(() => {
        writer.uint(8, time);
        writer.uint(10, 1);
        writer.uint(13, 2);
        writer.message(11, () => {
            writer.uint(9, TYPE_COUNTER);
            writer.uint(11, uuid);
            if (Number.isInteger(value) && Math.abs(value) <= LARGEST_EXACT) {
                writer.int(30, value);
            } else {
                writer.double(44, value);
            }
        });
    });
}

/* Writes the events of all tracks by time: a heap of tracks, the next to speak on top. */
function writeEvents(writer, plans) {
    const heap = plans.flatMap(plan => plan.profile.tracks.filter(track => track.count > 0)
        .map(track => new TrackEvents(plan, track)));
    const sink = at => {
        const moved = heap[at];
        for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
            if (child + 1 < heap.length && heap[child + 1].time < heap[child].time) {
                child++;
            }
            if (heap[child].time >= moved.time) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = moved;
    };
    for (let at = heap.length >> 1; at >= 0; at--) {
        if (at < heap.length) {
            sink(at);
        }
    }
    while (heap.length > 0) {
        heap[0].write(writer);
        if (heap[0].isDone) {
            const last = heap.pop();
            if (heap.length > 0) {
                heap[0] = last;
            }
        }
        if (heap.length > 0) {
            sink(0);
        }
    }
}

/* A part's number in a trace of several profiles. */
function renumbered(key, plan) {
    return key.replace(/^(tacho\.(?:lost\.)?part\.)(\d+)/,
                       (whole, head, number) => head + (Number(number) + plan.partBase));
}

function writeTail(writer, plans, lost) {
    for (const plan of plans) {
        for (const [key, value] of plan.profile.attributes) {
            if (key !== 'tacho.lost.total') {
                writeAttribute(writer, renumbered(key, plan), value);
            }
        }
    }
    for (const {profile, partBase} of plans.filter(plan => plan.profile.resolutionNs > 0)) {
        writeAttribute(writer, `tacho.part.${partBase}.resolution`,
                       `neighbours shorter than ${profile.resolutionNs} ns are one slice`);
    }
    writeAttribute(writer, 'tacho.lost.total', String(lost));
}

function buildTrace(profiles, version) {
    const writer = new TraceWriter(1 << 20);
    /* First our own words, well over 128 bytes: viewers guess what a file is from its start. */
    writeAttribute(writer, 'tacho.about', TRACE_ABOUT);
    writeAttribute(writer, 'tacho.tool', 'tacho report');
    writeAttribute(writer, 'tacho.version', version);
    writeSequenceStart(writer);
    writeInterned(writer, 3, 1, writer.encoder.encode('location'));
    let trackBase = 0, textBase = 0, partBase = 0, lost = 0;
    const plans = profiles.map(profile => {
        const plan = {profile, trackBase, textBase, partBase, isAlone: profiles.length === 1};
        trackBase += profile.tracks.length;
        textBase += profile.texts.count;
        partBase += profile.parts.length;
        lost += profile.losses.reduce((sum, loss) => sum + loss.count, 0);
        return plan;
    });
    for (const plan of plans) {
        writeTracks(writer, plan);
        writeSites(writer, plan);
    }
    writeEvents(writer, plans);
    writeTail(writer, plans, lost);
    return writer.finished();
}
