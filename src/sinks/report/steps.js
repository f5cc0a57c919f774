/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going from step to step: those of the analysis. Of two profiles, a step of A lies under the step
 * of B that it is compared with: both are moved so that these start at the same place.
 */

const STEP_ROOM = 0.02; /* of its length, on either side */
const STEPS_LISTED = 500;

/* They are the same for all devices. */
function knownSteps(profile) {
    const steps = new Map(rowObjects(profile.tables.get('steps')).map(row => [
        row.start_ns, {start: row.start_ns, end: row.start_ns + row.time_ns, name: row.step,
                       isWarmUp: row.warm_up === 'yes'}]));
    return [...steps.values()].sort((a, b) => a.start - b.start);
}

/* The steps of a profile; empty where there are none. */
function stepsOf(profile) {
    profile.steps = profile.steps || knownSteps(profile);
    return profile.steps;
}

/* ---- two profiles --------------------------------------------------------------------------- */

/* All that the devices of a profile did, as one step without a name; of all where there are none. */
function wholeStep(profile) {
    const rows = profile.rows.filter(({track, start}) => (
        start.length > 0 && DEVICE_CLASSES.includes(track.class)));
    return {name: '', isWarmUp: false,
            start: rows.length > 0 ? Math.min(...rows.map(({start}) => start[0])) : 0,
            end: rows.length > 0 ? Math.max(...rows.map(({end}) => end[end.length - 1]))
                : profile.endNs};
}

/*
 * Steps of A and B that belong together, counted from the first that is not warm-up. A profile
 * without steps, an estimate of one inference say, is one step.
 */
function pairedSteps() {
    const profiles = pairEntries().map(entry => entry.profile);
    const lists = profiles.map(stepsOf);
    const bare = lists.findIndex(list => list.length === 0);
    if (bare >= 0) {
        const whole = wholeStep(profiles[bare]);
        const others = lists[1 - bare].length > 0 ? lists[1 - bare]
            : [wholeStep(profiles[1 - bare])];
        return others.map(step => (bare === 0 ? [whole, step] : [step, whole]));
    }
    const firsts = lists.map(list => Math.max(0, list.findIndex(step => !step.isWarmUp)));
    const before = Math.min(...firsts);
    const count = before + Math.min(...lists.map((list, side) => list.length - firsts[side]));
    return Array.from({length: count}, (_, i) => lists.map(
        (list, side) => list[firsts[side] - before + i]));
}

/* The pair of steps that A and B are aligned at; null where there are not two profiles. */
function alignedPair() {
    if (!isPair()) {
        return null;
    }
    const pairs = pairedSteps();
    const steady = Math.max(0, pairs.findIndex(pair => pair.every(step => !step.isWarmUp)));
    state.step = Math.min(state.step ?? steady, pairs.length - 1);
    return pairs[state.step];
}

/* Moves profiles so that what they are aligned at starts at the same place of the timeline. */
function alignProfiles() {
    shownEntries().forEach(({profile}) => {
        profile.shiftNs = 0;
    });
    const pair = alignedPair();
    timeline.origin = 0;
    if (pair) {
        timeline.origin = Math.max(...pair.map(step => step.start));
        pairEntries().forEach(({profile}, side) => {
            profile.shiftNs = timeline.origin - pair[side].start;
        });
    }
}

/* What a head of the timeline says about its zero, of several profiles. */
function zeroOf(entry) {
    const pair = alignedPair();
    const step = pair && pair[pairEntries().indexOf(entry)];
    return !pair ? 'own zero, not aligned'
        : step.name ? `aligned at ${clip(step.name, 40)}` : 'aligned at its first work';
}

/* ---- the picker ----------------------------------------------------------------------------- */

/* Steps as places of the timeline; those of two profiles are as long as the longer one. */
function shownSteps() {
    if (!isPair()) {
        return shownEntries().length === 1 ? stepsOf(shownEntries()[0].profile) : [];
    }
    const pairs = pairedSteps();
    return pairs.every(pair => pair.every(step => step.name === '')) ? [] : pairs.map(pair => {
        const lengths = pair.map(step => step.end - step.start);
        const names = [...new Set(pair.map(step => step.name).filter(name => name !== ''))];
        return {start: timeline.origin, end: timeline.origin + Math.max(...lengths),
                name: names.join(' and '), lengths};
    });
}

/* The step that the timeline shows, -1 where it shows more than one. */
function currentStep(steps, {from, to}) {
    const middle = (from + to) / 2;
    const isShown = ({start, end}) => (
        middle >= start && middle < end && to - from < 1.5 * (end - start));
    return isPair() ? (steps.length > 0 && isShown(steps[state.step]) ? state.step : -1)
        : steps.findIndex(isShown);
}

function stepText({name, start, end, lengths}, at, count) {
    const times = lengths ? lengths.map((ns, side) => `${'AB'[side]} ${formatNs(ns)}`).join(', ')
        : formatNs(end - start);
    return `${clip(name, 40)}, ${at + 1} of ${formatCount(count)}, ${times}`;
}

function drawSteps() {
    const steps = shownSteps();
    const at = currentStep(steps, timeline.view);
    const all = `${formatCount(steps.length)} step${steps.length === 1 ? '' : 's'}`;
    const list = byId('step-list');
    byId('steps').hidden = steps.length === 0;
    list.hidden = steps.length > STEPS_LISTED;
    byId('step-name').hidden = !list.hidden;
    byId('step-name').textContent = at < 0 ? all : stepText(steps[at], at, steps.length);
    if (!list.hidden && list.options.length !== steps.length + 1) {
        list.replaceChildren(new Option(all, '-1'), ...steps.map(
            (step, i) => new Option(stepText(step, i, steps.length), String(i))));
    }
    list.value = String(at);
}

function showStep(at) {
    if (isPair() && at !== state.step) {
        state.step = at;
        showTimeline(true);
    }
    const {start, end} = shownSteps()[at];
    const room = STEP_ROOM * (end - start);
    timeline.setView(start - room, end + room);
}

/* Shows the next step, or the one before; from the whole, the first or the last. */
function goStep(by) {
    const steps = shownSteps();
    if (steps.length > 0) {
        const at = currentStep(steps, timeline.view);
        showStep(at < 0 ? (by > 0 ? 0 : steps.length - 1)
            : Math.min(steps.length - 1, Math.max(0, at + by)));
    }
}

function pickStep(event) {
    const at = Number(event.target.value);
    if (at < 0) {
        timeline.fit();
    } else {
        showStep(at);
    }
}
