/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of profiles: which there are, and which are shown.
 */

function showBox(entry) {
    const box = make('input', {type: 'checkbox', checked: entry.isShown});
    box.setAttribute('aria-label', `Show ${visible(entry.label)}`);
    box.addEventListener('change', () => setShown(entry, box.checked));
    return box;
}

function nameButton(group) {
    const {entry} = group;
    const button = make('button', {type: 'button', textContent: shortName(groupLabel(group)),
                                   title: `Show only ${visible(entry.path.slice(0, 500))}`});
    button.addEventListener('click', () => showOnly(entry));
    return button;
}

function classShare(group, name) {
    const found = group.classes.find(candidate => candidate.name === name);
    return found && group.spanNs > 0 ? found.busyNs / group.spanNs : 0;
}

function metricOf(group, name) {
    const found = group.metrics.find(metric => metric.name === name);
    return found ? found.ns : -1;
}

/* Columns of a table with a row for each group. */
function profileColumns(groups) {
    const classes = [...new Set(groups.flatMap(group => group.classes.map(c => c.name)))]
        .sort((a, b) => classOrder(a) - classOrder(b));
    const metrics = [...new Set(groups.filter(hasMetrics).flatMap(
        group => group.metrics.map(metric => metric.name)))];
    const number = (key, title, value, format, help) => (
        {key, title, value, isNumber: true, help, cell: group => format(value(group))});
    return [
        {key: 'shown', title: 'Show', cell: group => showBox(group.entry)},
        {key: 'name', title: 'Profile', value: groupLabel, className: 'name', cell: nameButton},
        {key: 'format', title: 'Format', value: group => group.format,
         cell: group => shortName(group.format)},
        {key: 'origin', title: 'Origin', value: group => group.origin, cell: group => group.origin},
        number('spans', 'Spans', group => group.spanCount, formatCount),
        number('span', 'Time span', group => group.extentNs, formatNs, 'First to last event'),
        ...(metrics.length > 0 ? [] : [
            ...[['deviceNs', 'Device busy', 'engine or stream of a device'],
                ['hostNs', 'Host busy', 'thread of the host']]
                .filter(([key]) => groups.some(group => group[key] > 0))
                .map(([key, title, what]) => number(key, title, group => group[key], formatNs,
                    `Time in which at least one ${what} was busy`)),
        ]),
        ...metrics.map((name, i) => number(`metric${i}`, clip(name, 30),
            group => metricOf(group, name), ns => (ns < 0 ? '\u2013' : formatNs(ns)))),
        ...(metrics.length > 0 ? [] : classes).map(name => number(
            `class-${name}`, name, group => classShare(group, name), formatPercent,
            `Part of the time from first to last work in which a ${name} track was busy`)),
        number('lost', 'Lost', group => group.entry.lost, formatCount,
               'Records that could not be read'),
    ];
}

function drawProfiles() {
    const groups = state.entries.filter(entry => entry.groups).flatMap(groupsOf);
    byId('profiles').hidden = state.fleet || (state.entries.length < 2 && groups.length < 2);
    const query = byId('profile-filter').value.trim().toLowerCase();
    const found = groups.filter(group => [group.entry.path, group.entry.name, group.name,
                                          group.format, group.origin].join(' ')
        .toLowerCase().includes(query));
    profileTable.setColumns(profileColumns(groups));
    profileTable.fill(profileTable.sorted(found), 'No profile fits the filter.');
}

async function setShown(entry, isShown) {
    entry.isShown = isShown;
    if (isShown && !entry.profile) {
        await load(entry);
    }
    if (!isShown) {
        entry.profile = null;
    }
    drawAll();
}

async function showOnly(entry) {
    for (const other of state.entries) {
        other.isShown = other === entry;
        other.profile = other === entry ? other.profile : null;
    }
    await setShown(entry, true);
}
