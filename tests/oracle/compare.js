// SPDX-License-Identifier: Apache-2.0
// Runs a model by ONNX Runtime on values that run_model saved, and compares what comes out:
//
//     node compare.js MODEL FOLDER REPEAT [LEVEL]
//
// Prints, with tabs between: how far outputs are apart at most, in parts of the largest element; the
// same in quanta, which are the least distance between two different elements; how many elements
// differ at all; milliseconds of processor time of the median of REPEAT runs, with one thread.
// LEVEL is the level of optimisation, "all" unless it is given.
'use strict';
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const TYPES = {
  f32: ['float32', Float32Array],
  i64: ['int64', BigInt64Array],
  i32: ['int32', Int32Array],
  u8: ['uint8', Uint8Array],
  i8: ['int8', Int8Array],
  bool: ['bool', Uint8Array],
};

function load(folder, kind, i, about) {
  const bytes = fs.readFileSync(path.join(folder, `${kind}_${i}.bin`));
  const [, array] = TYPES[about.type];
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return new array(buffer);
}

// The least distance between two elements that differ; 0 where all are the same.
function quantum(values) {
  const sorted = Float64Array.from(values, Number).sort();
  let least = 0;
  for (let i = 1; i < sorted.length; i++) {
    const step = sorted[i] - sorted[i - 1];
    least = step > 0 && (least === 0 || step < least) ? step : least;
  }
  return least;
}

function distance(found, expected) {
  let largest = 0, worst = 0, differing = 0;
  for (let i = 0; i < expected.length; i++) {
    largest = Math.max(largest, Math.abs(Number(expected[i])));
  }
  if (found.length !== expected.length || !Number.isFinite(largest) || largest === 0) {
    return [Infinity, Infinity, expected.length];
  }
  for (let i = 0; i < expected.length; i++) {
    const away = Math.abs(Number(found[i]) - Number(expected[i]));
    differing += away !== 0 ? 1 : 0;
    worst = away > worst || Number.isNaN(away) ? away : worst;
  }
  return [worst / largest, worst === 0 ? 0 : worst / quantum(expected), differing];
}

// NaN is the largest of all.
function larger(a, b) {
  return Number.isNaN(a) || Number.isNaN(b) ? NaN : Math.max(a, b);
}

async function main() {
  const [model, folder, repeat, level] = process.argv.slice(2);
  const about = JSON.parse(fs.readFileSync(path.join(folder, 'values.json'), 'utf8'));
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: level || 'all',
    logSeverityLevel: 3,
  });
  const feeds = {};
  about.inputs.forEach((input, i) => {
    feeds[input.name] = new ort.Tensor(TYPES[input.type][0], load(folder, 'input', i, input),
                                       input.dims);
  });
  const results = await session.run(feeds);
  let worst = 0, quanta = 0, differing = 0;
  about.outputs.forEach((output, i) => {
    const found = load(folder, 'output', i, output);
    const [away, steps, count] = distance(found, results[output.name].data);
    worst = larger(worst, away);
    quanta = larger(quanta, steps);
    differing += count;
  });
  const times = [];
  for (let i = 0; i < Number(repeat); i++) {
    const start = process.cpuUsage();
    await session.run(feeds);
    const used = process.cpuUsage(start);
    times.push((used.user + used.system) / 1e3);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  console.log([worst.toExponential(2), quanta.toFixed(2), differing, median.toFixed(3)].join('\t'));
}

main().catch((error) => {
  console.error(`compare.js: ${error.message}`);
  process.exit(1);
});
