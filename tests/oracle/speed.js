// SPDX-License-Identifier: Apache-2.0
// How long ONNX Runtime takes for a model, on values that run_model saved:
//
//     node speed.js MODEL FOLDER THREADS REPEAT
//
// Prints, with tabs between: milliseconds of the fastest run and of the median by the clock, those
// of the median by the processor's time of all threads, and the largest difference between its
// outputs and the saved ones, in parts of the largest element.
'use strict';
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const TYPES = {
  f32: ['float32', Float32Array], f16: ['float16', Uint16Array], i64: ['int64', BigInt64Array],
  i32: ['int32', Int32Array], u8: ['uint8', Uint8Array], i8: ['int8', Int8Array],
  bool: ['bool', Uint8Array],
};

function load(folder, kind, i, about) {
  const bytes = fs.readFileSync(path.join(folder, `${kind}_${i}.bin`));
  const [, array] = TYPES[about.type];
  return new array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function real(type, value) {
  if (type !== 'f16') {
    return Number(value);
  }
  const sign = value & 0x8000 ? -1 : 1, power = value >> 10 & 31, rest = value & 1023;
  return power === 0 ? sign * rest * 2 ** -24 : sign * (1024 + rest) * 2 ** (power - 25);
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

async function main() {
  const [model, folder, threads, repeat] = process.argv.slice(2);
  const about = JSON.parse(fs.readFileSync(path.join(folder, 'values.json'), 'utf8'));
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: Number(threads), interOpNumThreads: 1, graphOptimizationLevel: 'all',
    logSeverityLevel: 3,
  });
  const feeds = {};
  about.inputs.forEach((input, i) => {
    feeds[input.name] = new ort.Tensor(TYPES[input.type][0], load(folder, 'input', i, input),
                                       input.dims);
  });
  const results = await session.run(feeds);
  let away = 0;
  about.outputs.forEach((output, i) => {
    const ours = load(folder, 'output', i, output), theirs = results[output.name].data;
    let largest = 0, worst = 0;
    for (let j = 0; j < ours.length; j++) {
      const [a, b] = [real(output.type, ours[j]), real(output.type, theirs[j])];
      largest = Math.max(largest, Math.abs(b));
      worst = Math.max(worst, Math.abs(a - b));
    }
    away = Math.max(away, ours.length === theirs.length ? worst / largest : Infinity);
  });
  const walls = [], cpus = [];
  for (let i = 0; i < Number(repeat); i++) {
    const before = process.cpuUsage(), start = process.hrtime.bigint();
    await session.run(feeds);
    walls.push(Number(process.hrtime.bigint() - start) / 1e6);
    const used = process.cpuUsage(before);
    cpus.push((used.user + used.system) / 1e3);
  }
  const numbers = [Math.min(...walls), median(walls), median(cpus)].map((ms) => ms.toFixed(4));
  console.log([...numbers, away.toExponential(1)].join('\t'));
}

main().catch((error) => {
  console.error(`speed.js: ${error.message}`);
  process.exit(1);
});
