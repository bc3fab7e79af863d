package io.fibry.fsm;

import java.time.Duration;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a state does with one kind of event, or when a time is over. The types of states, events and data are those of the
 * builder that has made the rule.
 *
 * @param trigger an event, a class of events, or for a time-out the text of its duration
 * @param delay returns the duration of a time-out; null for a rule about events
 * @param guard decides whether the rule applies; null if it always does
 * @param guardText what the diagram shows of the guard
 * @param action what is done; null for nothing
 * @param target where the rule leads
 */
record Rule(Object trigger, @Nullable BiFunction<Object, Object, Duration> delay,
        @Nullable Guard<Object, Object, Object> guard, String guardText,
        @Nullable Action<Object, Object, Object, Object> action, Target target) {
    /** Returns a rule of its own for one table: it keeps what that table says about the state to which it leads. */
    Rule copy() {
        return target instanceof Target.GoTo to
                ? new Rule(trigger, delay, guard, guardText, action, new Target.GoTo(to.state())) : this;
    }

    boolean isTimed() {
        return delay != null;
    }

    boolean takes(Object event) {
        return !isTimed() && TableKeys.takes(trigger, event);
    }

    boolean allows(Object state, Object event, Object data) {
        return guard == null || guard.test(state, event, data);
    }

    /** Whether this rule takes all that another one of the same state could take, so that the other one never applies. */
    boolean hides(Rule later) {
        if (isTimed() != later.isTimed() || (guard != null && guard != later.guard)) {
            return false;
        }
        return isTimed() ? trigger.equals(later.trigger) : TableKeys.covers(trigger, later.trigger);
    }

    String triggerText() {
        return isTimed() ? "after " + trigger : TableKeys.text(trigger);
    }
}
