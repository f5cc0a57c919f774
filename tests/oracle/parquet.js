// SPDX-License-Identifier: Apache-2.0
// Parquet files of tacho, read by DuckDB: node parquet.js TACHO FILE...
// Counts, sums and groups must be those that 'tacho query' gives of the profile.
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

async function check(connection, input, number) {
    const file = path.join(folder, `${number}.parquet`);
    if (run('convert', '-q', input, '-o', file) === null) return null;
    for (const query of queries) {
        const expected = run('query', '-q', input, query, '--format', 'json').trim().split('\n')
            .filter((line) => line !== '').map((line) => {
                const { schema_version, table, ...row } = JSON.parse(line);
                return Object.values(row);
            });
        const found = await connection.runAndReadAll(query.replace('FROM spans', `FROM '${file}'`));
        if (text(expected) !== text(found.getRows())) {
            console.log(`FAIL ${input}: ${query}`);
            return false;
        }
    }
    return true;
}

(async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    const results = [];
    for (const [number, input] of inputs.entries()) results.push(await check(connection, input, number));
    fs.rmSync(folder, { recursive: true });
    const read = results.filter((result) => result !== null);
    console.log(`parquet: DuckDB agrees on ${read.filter(Boolean).length} of ${read.length} files`);
    process.exit(read.length > 0 && read.every(Boolean) ? 0 : 1);
})();
