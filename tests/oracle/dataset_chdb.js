// SPDX-License-Identifier: Apache-2.0
// Statements over a data set, answered by ClickHouse's engine: node dataset_chdb.js DIR <STATEMENTS.json
// Prints a list of answers, each a list of rows, each a list of values.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');
const { Session } = require('chdb');

const folder = path.resolve(process.argv[2]);
const statements = JSON.parse(fs.readFileSync(0, 'utf8'));
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-chdb-'));
const session = new Session(home);
const settings = 'SETTINGS use_hive_partitioning = 0, prefer_column_name_to_alias = 1, '
    + 'output_format_json_quote_64bit_integers = 0';
const none = '__HIVE_DEFAULT_PARTITION__';
const columns = `*, nullIf(decodeURLComponent(extract(_path, '/run=([^/]+)/')), '${none}') AS run, `
    + `nullIf(decodeURLComponent(extract(_path, '/host=([^/]+)/')), '${none}') AS host, `
    + "toInt64OrNull(extract(CAST(_path, 'String'), '/rank=([^/]+)/')) AS rank";

session.query('CREATE DATABASE tacho');
for (const table of fs.readdirSync(folder)) {
    session.query(`CREATE VIEW tacho.${table} AS SELECT ${columns} `
        + `FROM file('${folder}/${table}/**/*.parquet', Parquet) ${settings}`);
}
const answers = statements.map((text) => {
    const names = text.replace(/\b(FROM|JOIN) (spans|counters|ops|devices|steps|collectives|clock|loss)\b/g, '$1 tacho.$2');
    return session.query(`${names} ${settings}`, 'JSONCompactEachRow').split('\n').filter((line) => line !== '')
        .map((line) => JSON.parse(line));
});
process.stdout.write(JSON.stringify(answers));
session.cleanup();
fs.rmSync(home, { recursive: true, force: true });
