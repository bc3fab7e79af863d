package io.fibry.fsm;

import io.fibry.function.Handler;
import java.util.List;

/**
 * What a table says about a state.
 *
 * @param key the state, or a class of states
 * @param rules what it does with events and time-outs; the first one that applies is taken
 * @param entry what is done when the state is entered
 * @param exit what is done when it is left
 * @param isLast whether the machine stops when it has entered the state
 */
record StateRules(Object key, List<Rule> rules, List<Handler<Step<Object, Object, Object>>> entry,
        List<Handler<Step<Object, Object, Object>>> exit, boolean isLast) {
}
