/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blobs of the page: how the numbers and texts in them are read. report_page.c says how a blob is
 * laid out.
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

    /* The number of |text|, -1 where it is not there. */
    find(text) {
        this.numbers = this.numbers || new Map(
            Array.from({length: this.count}, (_, id) => [this.get(id), id]));
        return this.numbers.has(text) ? this.numbers.get(text) : -1;
    }

    isEmpty(id) {
        return this.start[id] === this.end[id];
    }

    /* Enough of the text to show |letters| letters of it, and to see whether there are more. */
    head(id, letters) {
        const most = this.start[id] + 4 * (Math.ceil(letters) + 2);
        return DECODER.decode(this.bytes.subarray(this.start[id], Math.min(this.end[id], most)));
    }
}
