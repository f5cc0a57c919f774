// SPDX-License-Identifier: Apache-2.0
// Statements over a data set, answered by DuckDB: node dataset_duckdb.js DIR <STATEMENTS.json
// Prints a list of answers, each a list of rows, each a list of values.
'use strict';
const fs = require('fs');
const { DuckDBInstance } = require('@duckdb/node-api');

const folder = process.argv[2];
const statements = JSON.parse(fs.readFileSync(0, 'utf8'));

(async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    for (const table of fs.readdirSync(folder)) {
        await connection.run(`CREATE VIEW ${table} AS FROM read_parquet('${folder}/${table}/**/*.parquet', `
            + "hive_types = {'run': VARCHAR, 'host': VARCHAR, 'rank': BIGINT})");
    }
    const answers = [];
    for (const text of statements) answers.push((await connection.runAndReadAll(text)).getRows());
    process.stdout.write(JSON.stringify(answers, (_, v) => typeof v === 'bigint' ? Number(v) : v));
})().catch((failure) => {
    process.stderr.write(`${failure}\n`);
    process.exit(1);
});
