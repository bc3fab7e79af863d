package io.fibry.fsm;

import io.fibry.function.Handler;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a table says about a state.
 *
 * @param key the state, or a class of states
 * @param rules what it does with events and time-outs; the first one that applies is taken
 * @param rows the same, and after that what every state does
 * @param timed those of the rows that are about time-outs
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
        for (var rule : rows) {
            if (rule.takes(event) && rule.allows(state, event, data)) {
                return rule;
            }
        }
        return null;
    }

    /** Returns the rules with those of every state, which a last state does not have. */
    StateRules with(StateRules every) {
        var all = new ArrayList<>(rules);
        if (!isLast) {
            all.addAll(every.rules);
        }
        return new StateRules(key, rules, List.copyOf(all), all.stream().filter(Rule::isTimed).toList(),
                entry, exit,
                isLast);
    }
}
