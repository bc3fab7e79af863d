package io.fibry.fsm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Looks for errors in a table before it is used. */
final class TableCheck {
    private final Map<Object, StateRules> states;
    private final StateRules every;
    private final Object initial;
    private final List<String> errors = new ArrayList<>();

    TableCheck(Map<Object, StateRules> states, StateRules every, Object initial) {
        this.states = states;
        this.every = every;
        this.initial = initial;
    }

    List<String> errors(Class<?> stateType, Class<?> eventType) {
        states.values().forEach(this::checkRows);
        checkRows(every);
        if (every.isLast()) {
            errors.add("not every state can be a last one: call end() on the states that are");
        }
        checkReach();
        checkDescribed(stateType);
        checkEvents(eventType);
        return errors;
    }

    private void checkRows(StateRules state) {
        var name = TableKeys.text(state.key());
        if (state.isLast() && !state.rules().isEmpty()) {
            errors.add("the machine stops in " + name + ", so " + name
                    + " cannot take " + state.rules().getFirst().triggerText()
                    + ": remove this row, or end()");
        }
        var before = new ArrayList<Rule>();
        for (var rule : state.rules()) {
            for (var earlier : before) {
                if (earlier.hides(rule)) {
                    errors.add("a second row of " + name + " about " + rule.triggerText()
                            + " never applies, since a row before it takes the same"
                            + (earlier.guard() == null
                                    ? ": give the first one a guard, or remove one"
                                    : " with the same guard: remove one"));
                    break;
                }
            }
            before.add(rule);
        }
    }

    private void checkReach() {
        var reached = new LinkedHashSet<Object>();
        var open = new ArrayDeque<StateRules>();
        var first = described(initial);
        if (first == null) {
            errors.add(
                    "the initial state " + TableKeys.text(initial) + " is not described: add it by state()");
            return;
        }
        reached.add(first.key());
        open.add(first);
        var unknown = new LinkedHashSet<String>();
        for (var state = open.poll(); state != null; state = open.poll()) {
            if (!state.isLast()) {
                follow(state, state, reached, open, unknown);
                follow(state, every, reached, open, unknown);
            }
        }
        for (var state : states.values()) { // and what only states lead to that are not reached themselves
            if (!reached.contains(state.key())) {
                follow(state, state, new LinkedHashSet<>(states.keySet()), new ArrayDeque<>(), unknown);
            }
        }
        errors.addAll(unknown);
        for (var key : states.keySet()) {
            if (!reached.contains(key)) {
                errors.add("state " + TableKeys.text(key) + " cannot be reached from "
                        + TableKeys.text(initial)
                        + ": add a transition to it, or remove it");
            }
        }
    }

    private void follow(StateRules from, StateRules rows, Set<Object> reached, ArrayDeque<StateRules> open,
            Set<String> unknown) {
        for (var rule : rows.rules()) {
            var next = switch (rule.target()) {
                case Target.GoTo to -> targets(to.state());
                case Target.Make made -> targets(made.type());
                case Target.Stay stay -> List.of(from);
                case Target.Postpone postpone -> List.of(from);
                case Target.Ignore ignore -> List.of(from);
            };
            if (next.isEmpty()) {
                var target = rule.target() instanceof Target.Make made ? made.type()
                        : ((Target.GoTo) rule.target()).state();
                unknown.add("unknown state " + TableKeys.text(target) + ": " + TableKeys.text(rows.key())
                        + " goes there on "
                        + rule.triggerText() + "; describe it by state()");
            }
            for (var state : next) {
                if (reached.add(state.key())) {
                    open.add(state);
                }
            }
        }
    }

    /** The descriptions of the states that a target may be. */
    private List<StateRules> targets(Object target) {
        if (!(target instanceof Class<?>)) {
            var one = described(target);
            return one == null ? List.of() : List.of(one);
        }
        return states.values().stream().filter(state -> TableKeys.meet(state.key(), target)).toList();
    }

    private @Nullable StateRules described(Object state) {
        return TransitionTable.rulesOf(states, states.values(), state);
    }

    private void checkDescribed(Class<?> type) {
        for (var part : TableKeys.parts(type)) {
            if (states.keySet().stream().noneMatch(key -> TableKeys.meet(key, part))) {
                errors.add("state " + TableKeys.text(part) + " of " + type.getSimpleName()
                        + " is not described: add it by state()");
            }
        }
    }

    private void checkEvents(Class<?> type) {
        for (var part : TableKeys.parts(type)) {
            if (states.values().stream().noneMatch(state -> takes(state, part)) && !takes(every, part)) {
                errors.add("no state takes the event " + TableKeys.text(part) + " of " + type.getSimpleName()
                        + ": add a row about it, or ignore it");
            }
        }
    }

    private static boolean takes(StateRules state, Object event) {
        return state.rules().stream()
                .anyMatch(rule -> !rule.isTimed() && TableKeys.meet(rule.trigger(), event));
    }
}
