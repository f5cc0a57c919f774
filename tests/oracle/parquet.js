// SPDX-License-Identifier: Apache-2.0
// Parquet files of tacho, read by DuckDB and by hyparquet: node parquet.js TACHO FILE...
// Counts, sums and groups of spans must be those that 'tacho query' gives of the profile, operators
// those of 'tacho ops', and both readers must find the same in every cell.
'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { DuckDBInstance } = require('@duckdb/node-api');

const [tacho, ...inputs] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-parquet-'));
const run = (...words) => {
    try {
        return execFileSync(tacho, words, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
    } catch (failure) {
        if (failure.status === 3) return failure.stdout.toString(); // some records were not read
        return null;
    }
};
const queries = [
    'SELECT count(*) AS n, sum(duration_ns) AS t, min(start_ns) AS a, max(start_ns) AS b FROM spans',
    'SELECT name, track, count(*) AS n, sum(duration_ns) AS t FROM spans GROUP BY name, track, track_id',
    "SELECT class, kind, origin, count(*) AS n, count(location) AS l FROM spans GROUP BY class, kind, origin",
];
const text = (rows) => rows.map((row) => JSON.stringify(row, (_, v) => typeof v === 'bigint' ? Number(v) : v))
    .sort().join('\n');

// Rows of tacho's JSON lines, as lists of values.
const values = (lines) => lines.trim().split('\n').filter((line) => line !== '').map((line) => {
    const { schema_version, table, ...row } = JSON.parse(line);
    return Object.values(row);
});

// The package is an ES module, which NODE_PATH does not find.
async function openHyparquet() {
    const load = (name) => import(require.resolve(name));
    const [{ parquetReadObjects, asyncBufferFromFile }, { compressors }] =
        [await load('hyparquet'), await load('hyparquet-compressors')];
    return async (file) => (await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors }))
        .map((row) => Object.values(row));
}

// Shares are rounded to two decimals in JSON and exact in Parquet; all else is the same.
const isNear = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) <= 0.005001
    : a === b || (typeof a === 'bigint' && Number(a) === b));
const areNear = (found, expected) => found.length === expected.length && found.every(
    (row, i) => row.length === expected[i].length && row.every((value, j) => isNear(value, expected[i][j])));

async function checkCells(connection, hyparquet, file, input) {
    const found = (await connection.runAndReadAll(`FROM '${file}'`)).getRows();
    if (text(found) === text(await hyparquet(file))) return found;
    console.log(`FAIL ${input}: the readers differ on ${path.basename(file)}`);
    return null;
}

async function checkOps(connection, hyparquet, input, number) {
    const file = path.join(folder, `${number}.ops.parquet`);
    if (run('ops', '-q', input, '--top', '0', '-o', file) === null) return true; // nothing to list
    const found = await checkCells(connection, hyparquet, file, input);
    const expected = values(run('ops', '-q', input, '--top', '0', '--format', 'json')
        .split('\n').filter((line) => line.includes('"table":"ops"')).join('\n'));
    if (found !== null && areNear(found, expected)) return true;
    console.log(`FAIL ${input}: ops`);
    return false;
}

async function check(connection, hyparquet, input, number) {
    const file = path.join(folder, `${number}.parquet`);
    if (run('convert', '-q', input, '-o', file) === null) return null;
    if (await checkCells(connection, hyparquet, file, input) === null) return false;
    for (const query of queries) {
        const expected = values(run('query', '-q', input, query, '--format', 'json'));
        const found = await connection.runAndReadAll(query.replace('FROM spans', `FROM '${file}'`));
        if (text(expected) !== text(found.getRows())) {
            console.log(`FAIL ${input}: ${query}`);
            return false;
        }
    }
    return checkOps(connection, hyparquet, input, number);
}

(async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const hyparquet = await openHyparquet();
    const results = [];
    for (const [number, input] of inputs.entries()) results.push(await check(connection, hyparquet, input, number));
    fs.rmSync(folder, { recursive: true });
    const read = results.filter((result) => result !== null);
    console.log(`parquet: DuckDB and hyparquet agree on ${read.filter(Boolean).length} of ${read.length} files`);
    process.exit(read.length > 0 && read.every(Boolean) ? 0 : 1);
})();
