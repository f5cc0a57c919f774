/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the page is made of: numbers and names as text, bars, dots, tables that sort. Whatever comes
 * from an input is put in with textContent, never as markup.
 */

const NAME_LETTERS = 300;

const byId = id => document.getElementById(id);

/* ---- text ----------------------------------------------------------------------------------- */

/* Control and direction characters made visible, so that a name cannot disturb what is around it. */
function visible(text) {
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
                        letter => {
                            const code = letter.charCodeAt(0).toString(16);
                            return code.length > 2 ? `\\u${code.padStart(4, '0')}`
                                                   : `\\x${code.padStart(2, '0')}`;
                        });
}

/* At most |letters| letters of |text|. */
function clip(text, letters) {
    const shown = visible(text.slice(0, Math.max(1, Math.ceil(letters))));
    return text.length <= letters && shown.length <= letters
        ? shown : `${shown.slice(0, Math.max(1, Math.floor(letters) - 1))}\u2026`;
}

function shortName(text) {
    return text.length <= NAME_LETTERS
        ? visible(text) || '(no name)'
        : `${visible(text.slice(0, NAME_LETTERS))}\u2026 (${formatCount(text.length)} characters)`;
}

/* Names of kernels without what most of them have in common. */
function plainName(text) {
    return text.replace(/^void /, '').replace(/\(anonymous namespace\)::|\bat::native::/g, '');
}

const TAIL_LETTERS = 20;

/*
 * A name that does not fit loses its middle: paths differ at their ends, templates at their
 * beginnings. What is in it is the whole name.
 */
function nameNodes(text) {
    const shown = shortName(text);
    return shown.length < 2 * TAIL_LETTERS || /[<(]/.test(shown) ? [shown] : [make(
        'span', {className: 'split'}, make('span', {textContent: shown.slice(0, -TAIL_LETTERS)}),
        make('span', {textContent: shown.slice(-TAIL_LETTERS)}))];
}

/* Sentences of analyses are plain ASCII. */
const asSaid = text => text.replace(/(\d) us\b/g, '$1 \u00b5s');

const TIME_UNITS = [['s', 1e9], ['ms', 1e6], ['\u00b5s', 1e3], ['ns', 1]];

function formatNs(ns) {
    const [unit, size] = TIME_UNITS.find(([, least]) => Math.abs(ns) >= least) || TIME_UNITS[3];
    const digits = size === 1 ? (Number.isInteger(ns) ? 0 : 1) : 3;
    return `${(ns / size).toFixed(digits)} ${unit}`;
}

function formatTick(ns, step) {
    const [unit, size] = TIME_UNITS.find(([, least]) => Math.abs(ns) >= least) || TIME_UNITS[3];
    const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9)));
    return ns === 0 ? '0' : `${(ns / size).toFixed(digits)} ${unit}`;
}

const formatCount = count => count.toLocaleString('en-US');
const formatPercent = part => `${(100 * part).toFixed(1)} %`;

function formatBytes(bytes) {
    const units = ['B', 'kB', 'MB', 'GB', 'TB'];
    let at = 0;
    for (; bytes >= 1000 && at < units.length - 1; at++) {
        bytes /= 1000;
    }
    return `${at === 0 ? bytes : bytes.toFixed(2)} ${units[at]}`;
}

/* A sample of a counter. */
function formatValue(value, unit) {
    return unit === 'bytes' ? formatBytes(value) : unit === 'ns' ? formatNs(value)
        : `${Number.isInteger(value) ? formatCount(value) : +value.toPrecision(4)}` +
            (unit === 'percent' ? ' %' : unit === '' || unit === 'count' ? '' : ` ${unit}`);
}

/* ---- elements ------------------------------------------------------------------------------- */

function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

function bar(className, part, colour) {
    const fill = make('i');
    fill.style.width = `${Math.min(100, Math.max(0, 100 * part))}%`;
    if (colour) {
        fill.style.background = colour;
    }
    return make('span', {className}, fill);
}

function isDark() {
    return getComputedStyle(document.documentElement).getPropertyValue('--scheme').trim() === 'dark';
}

function dot(name) {
    const element = make('span', {className: 'dot'});
    element.style.background = classColour(name, isDark());
    return element;
}

/*
 * A table that sorts by a click on a column. A column: key, title, value of a row, cell of a row
 * (a node or text), isNumber, help.
 */
class SortTable {
    constructor(table, columns, sortKey, onSort) {
        this.table = table;
        this.columns = columns;
        this.sortKey = sortKey;
        this.isDown = true;
        this.onSort = onSort;
        this.body = make('tbody');
    }

    setColumns(columns) {
        this.columns = columns;
        const row = make('tr', {}, ...columns.map(column => this.heading(column)));
        this.table.replaceChildren(make('thead', {}, row), this.body);
    }

    heading(column) {
        const cell = make('th', {scope: 'col', className: column.isNumber ? 'right' : '',
                                 title: column.help || ''});
        if (!column.value) {
            cell.append(make('span', {className: 'plain', textContent: column.title}));
            return cell;
        }
        const isMine = column.key === this.sortKey;
        const arrow = isMine ? (this.isDown ? ' \u25be' : ' \u25b4') : '';
        const button = make('button', {type: 'button', textContent: column.title + arrow});
        button.dataset.key = column.key;
        button.addEventListener('click', () => this.sortBy(column));
        if (isMine) {
            cell.setAttribute('aria-sort', this.isDown ? 'descending' : 'ascending');
        }
        cell.append(button);
        return cell;
    }

    sortBy(column) {
        this.isDown = column.key === this.sortKey ? !this.isDown : Boolean(column.isNumber);
        this.sortKey = column.key;
        this.setColumns(this.columns);
        this.onSort();
        this.table.querySelector(`button[data-key="${column.key}"]`).focus();
    }

    sorted(rows) {
        const column = this.columns.find(candidate => candidate.key === this.sortKey);
        if (!column) {
            return rows;
        }
        const sign = this.isDown ? -1 : 1;
        return rows.map(row => [column.value(row), row]).sort(([a], [b]) => {
            const order = column.isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0;
            return sign * order;
        }).map(([, row]) => row);
    }

    /* |nothing| is said where there is no row. */
    fill(rows, nothing) {
        if (rows.length === 0) {
            const cell = make('td', {className: 'nothing', colSpan: this.columns.length,
                                     textContent: nothing});
            this.body.replaceChildren(make('tr', {}, cell));
            return;
        }
        this.body.replaceChildren(...rows.map(row => make('tr', {}, ...this.columns.map(column => {
            const classes = [column.isNumber ? 'right' : '', column.className || ''];
            const cell = make('td', {className: classes.join(' ').trim()});
            cell.append(column.cell(row));
            return cell;
        }))));
    }
}
