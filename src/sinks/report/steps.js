/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going from step to step. Steps are those of the analysis, where it has a table of them; else ranges
 * that a program marks again and again on one track, with names that differ in numbers only, if at
 * all: "ProfilerStep#7", "step_2", "inference".
 */

const STEP_ROOM = 0.02; /* of its length, on either side */

/* Ranges of a row that are called alike, as lists of {start, end, name}. */
function rangesOf(profile, row) {
    const ranges = [];
    for (let at = 0; at < row.start.length; at++) {
        if ((profile.siteIsPhase[row.site[at]] === 1 || row.track.isPhase) &&
            row.end[at] > row.start[at]) {
            ranges.push({start: row.start[at], end: row.end[at],
                         name: profile.texts.get(profile.siteText[row.site[at]])});
        }
    }
    return [...groupBy(ranges, ({name}) => name.replace(/\d+/g, '#')).values()]
        .filter(list => list.length > 1);
}

/* Steps as the analysis has them, which are the same for all devices. */
function knownSteps(profile) {
    const steps = new Map(rowObjects(profile.tables.get('steps')).map(row => [
        row.start_ns, {start: row.start_ns, end: row.start_ns + row.time_ns, name: row.step}]));
    return [...steps.values()].sort((a, b) => a.start - b.start);
}

/* The steps of a profile: the ranges that take most of its time; empty where there are none. */
function stepsOf(profile) {
    if (!profile.steps) {
        const lengthOfAll = list => list.reduce((sum, {start, end}) => sum + end - start, 0);
        const lists = profile.resolutionNs > 0 ? []
            : profile.rows.filter(row => HOST_CLASSES.includes(row.track.class) || row.track.isPhase)
                .flatMap(row => rangesOf(profile, row));
        const known = knownSteps(profile);
        profile.steps = known.length > 0 ? known : lists.reduce(
            (best, list) => (lengthOfAll(list) > lengthOfAll(best) ? list : best), []);
    }
    return profile.steps;
}

/* The step that the timeline shows, -1 where it shows more than one. */
function currentStep(steps, {from, to}) {
    const middle = (from + to) / 2;
    return steps.findIndex(({start, end}) => (
        middle >= start && middle < end && to - from < 1.5 * (end - start)));
}

/* Steps are those of the first profile: times of several are not aligned. */
const shownSteps = () => (shownEntries().length === 1 ? stepsOf(shownEntries()[0].profile) : []);

function drawSteps() {
    const steps = shownSteps();
    const at = currentStep(steps, timeline.view);
    byId('steps').hidden = steps.length === 0;
    byId('step-name').textContent = at < 0 ? `${formatCount(steps.length)} steps`
        : `${clip(steps[at].name, 40)}, ${at + 1} of ${steps.length}, ` +
            formatNs(steps[at].end - steps[at].start);
}

/* Shows the next step, or the one before; from the whole, the first or the last. */
function goStep(by) {
    const steps = shownSteps();
    if (steps.length === 0) {
        return;
    }
    const at = currentStep(steps, timeline.view);
    const next = at < 0 ? (by > 0 ? 0 : steps.length - 1)
        : Math.min(steps.length - 1, Math.max(0, at + by));
    const {start, end} = steps[next];
    const room = STEP_ROOM * (end - start);
    timeline.setView(start - room, end + room);
}
