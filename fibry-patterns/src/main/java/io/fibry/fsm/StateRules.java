package io.fibry.fsm;

import io.fibry.function.Handler;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a table says about a state.
 *
 * @param key the state, or a class of states
 * @param rules what it does with events and time-outs; the first one that applies is taken
 * @param rows these rules, and after them those of every state; so it is with the actions
 * @param timed the rows that are about time-outs
 * @param entry what is done when the state is entered
 * @param exit what is done when it is left
 * @param isLast whether the machine stops when it has entered the state
 */
record StateRules(Object key, List<Rule> rules, List<Rule> rows, List<Rule> timed,
        List<Handler<Step<Object, Object, Object>>> entry, List<Handler<Step<Object, Object, Object>>> exit,
        boolean isLast) {
    /** Rules to which those of every state are not yet added. */
    StateRules(Object key, List<Rule> rules, List<Handler<Step<Object, Object, Object>>> entry,
            List<Handler<Step<Object, Object, Object>>> exit, boolean isLast) {
        this(key, rules, rules, List.of(), entry, exit, isLast);
    }

    /** Returns the rule for an event; null if there is none. */
    @Nullable Rule find(Object state, Object event, Object data) {
        for (int i = 0; i < rows.size(); i++) {
            var rule = rows.get(i);
            if (rule.takes(event) && rule.allows(state, event, data)) {
                return rule;
            }
        }
        return null;
    }

    /** Returns the rules with those of every state, which a last state does not have. */
    StateRules with(StateRules every) {
        if (isLast) {
            return this;
        }
        var all = joined(rules, every.rules).stream().map(Rule::copy).toList();
        return new StateRules(key, rules, all, all.stream().filter(Rule::isTimed).toList(),
                joined(entry, every.entry), joined(exit, every.exit), false);
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
