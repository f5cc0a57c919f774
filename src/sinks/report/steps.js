/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going from step to step: those of the analysis.
 */

const STEP_ROOM = 0.02; /* of its length, on either side */

/* They are the same for all devices. */
function knownSteps(profile) {
    const steps = new Map(rowObjects(profile.tables.get('steps')).map(row => [
        row.start_ns, {start: row.start_ns, end: row.start_ns + row.time_ns, name: row.step}]));
    return [...steps.values()].sort((a, b) => a.start - b.start);
}

/* The steps of a profile; empty where there are none. */
function stepsOf(profile) {
    profile.steps = profile.steps || knownSteps(profile);
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
    byId('step-name').textContent = at < 0 ? `${formatCount(steps.length)} step${steps.length === 1 ? '' : 's'}`
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
