// SPDX-License-Identifier: Apache-2.0
// Runs what tests/models/edge_values.py saved by ONNX Runtime, and compares with tacho's reference
// kernels:
//
//     node edges.js FOLDER
//
// Each folder in FOLDER is an operator of one type on the edges of the type. Models that ONNX Runtime
// has no kernel for are counted. Prints what differs by more than 16 units in the last place (functions)
// or at all (others; either zero is taken), and is 1 then, unless it is known.
'use strict';
const fs = require('fs');
const path = require('path');
const ort = require('onnxruntime-node');

const TYPES = {
  f32: ['float32', Float32Array], f64: ['float64', Float64Array], f16: ['float16', Uint16Array],
  i8: ['int8', Int8Array], u8: ['uint8', Uint8Array], i16: ['int16', Int16Array],
  u16: ['uint16', Uint16Array], i32: ['int32', Int32Array], u32: ['uint32', Uint32Array],
  i64: ['int64', BigInt64Array], u64: ['uint64', BigUint64Array], bool: ['bool', Uint8Array],
};
// What ONNX Runtime 1.30 does otherwise, and why ours stays.
const KNOWN = {
  Gelu_f32: 'adds 1 to erf in f32, which loses what is left of it below 0',
  ReduceL1_i32: 'holds the absolute value of the least integer within the type; ours wraps as numpy does',
  ReduceL1_i64: 'the same',
  ReduceL2_f32: 'squares in f32, where small numbers become 0',
  ReduceSumSquare_i32: 'holds sums within the type; ours wrap as numpy does',
  ReduceSumSquare_i64: 'the same',
  Shrink_f64: 'computes in f32',
  Tanh_f32: 'is a rational function, 3e-6 off for the smallest normal number',
};
const MANTISSA = {f32: 23, f64: 52, f16: 10};
const LEAST = {f32: -126, f64: -1022, f16: -14};

// The value of f16's bits.
function half(bits) {
  const exponent = (bits >> 10) & 31, rest = bits & 1023, sign = bits >> 15 ? -1 : 1;
  if (exponent === 31) return rest ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? rest * 2 ** -24 : (1024 + rest) * 2 ** (exponent - 25));
}

function load(folder, kind, i, about) {
  const bytes = fs.readFileSync(path.join(folder, `${kind}_${i}.bin`));
  return new TYPES[about.type][1](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function value(type, element) {
  return type === 'f16' ? half(element) : Number(element);
}

function isClose(type, found, expected, how, mayBeInfinite) {
  if (Object.is(found, expected) || found === expected) return true;
  if (Number.isNaN(found) && Number.isNaN(expected)) return true;
  if (mayBeInfinite && !Number.isFinite(expected)) return true;
  if (how !== 'close' || !(type in MANTISSA)) return false;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(expected))), LEAST[type]);
  return Math.abs(found - expected) <= 16 * 2 ** (exponent - MANTISSA[type]);
}

async function run(folder, about) {
  const session = await ort.InferenceSession.create(path.join(folder, 'model.onnx'), {
    intraOpNumThreads: 1, graphOptimizationLevel: 'disabled', logSeverityLevel: 4});
  const feeds = {};
  about.inputs.forEach((input, i) => {
    feeds[session.inputNames[i]] = new ort.Tensor(TYPES[input.type][0], load(folder, 'input', i, input),
                                                  input.dims);
  });
  const results = await session.run(feeds);
  return session.outputNames.map((name) => results[name].data);
}

async function main() {
  const root = process.argv[2];
  let agreed = 0, without = 0, known = 0, differing = 0;
  for (const name of fs.readdirSync(root).sort()) {
    const folder = path.join(root, name);
    const about = JSON.parse(fs.readFileSync(path.join(folder, 'values.json'), 'utf8'));
    let results;
    try {
      results = await run(folder, about);
    } catch (error) {
      without++;
      continue;
    }
    const wrong = [];
    about.outputs.forEach((output, i) => {
      const found = load(folder, 'output', i, output);
      results[i].forEach((element, j) => {
        const expected = value(output.type, element), ours = value(output.type, found[j]);
        if (!isClose(output.type, ours, expected, about.how, about.infinite)) {
          wrong.push(`[${j}] ${ours}, ONNX Runtime ${expected}`);
        }
      });
    });
    const reason = KNOWN[name.split('_').slice(0, 2).join('_')];
    known += wrong.length > 0 && reason ? 1 : 0;
    differing += wrong.length > 0 && !reason ? 1 : 0;
    agreed += wrong.length === 0 ? 1 : 0;
    if (wrong.length > 0) {
      console.log(`${reason ? `known: ${name}: ONNX Runtime ${reason}` : `DIFFERS ${name}`}: ` +
                  wrong.slice(0, 3).join('; '));
    }
  }
  console.log(`${agreed} operators and types agree, ${known} differ for known reasons, ${differing} for others; ` +
              `ONNX Runtime has no kernel for ${without}`);
  process.exit(differing > 0 ? 1 : 0);
}

main();
