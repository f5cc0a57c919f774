/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables that an analysis made: their columns say what is in them.
 */

function formatCell({type, unit}, value) {
    if (value === null) {
        return '\u2013';
    }
    return type === 'text' ? shortName(value)
        : type === 'duration' ? formatNs(value)
        : type === 'percent' ? formatPercent(value / 100)
        : type === 'real' ? value.toFixed(3)
        : unit === 'bytes' ? formatBytes(value) : String(value);
}

/* Columns in which any row has something: those of ranks are empty in most captures. */
function tableColumns(columns, rows) {
    return columns.filter((_, i) => rows.some(row => row[i] !== null)).map(column => {
        const i = columns.indexOf(column);
        return {key: column.title, title: column.title, isNumber: column.type !== 'text',
                className: i === 0 ? 'name' : '', value: row => (row[i] === null ? -1 : row[i]),
                cell: row => formatCell(column, row[i])};
    });
}

/* A heading and a table that sorts itself; at first rows are as the analysis ordered them. */
function tableElements({title, columns, rows}) {
    const element = make('table');
    const table = new SortTable(element, [], '', () => table.fill(table.sorted(rows), ''));
    table.setColumns(tableColumns(columns, rows));
    table.fill(rows, '');
    return [make('h3', {textContent: title}),
            make('div', {className: 'wide tall', tabIndex: -1}, element)];
}

/* Tables of an estimate and what came of it. */
const FIT_TABLES = ['fit', 'types', 'agreement'];

/* How an estimate agrees with what came of it, where a page has the two. */
function drawAgreement(tables) {
    const filled = tables.filter(table => table.rows.length > 0);
    byId('agreement').hidden = filled.length === 0;
    byId('agreement-tables').replaceChildren(...filled.flatMap(tableElements));
}
