package io.fibry.fsm;

import io.fibry.function.Handler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Collects what a state does. The rows about one event are looked at in the order in which they were added, and the first
 * one whose guard allows it is taken. Objects are used by one thread, while the table is built.
 *
 * @param <S> type of the machine's states
 * @param <N> type of the state that is described
 * @param <E> type of the machine's events
 * @param <D> type of the machine's data
 */
public final class StateRows<S, N, E, D> {
    private final Object key;
    private final List<Rule> rules = new ArrayList<>();
    private final List<Handler<Step<Object, Object, Object>>> entry = new ArrayList<>();
    private final List<Handler<Step<Object, Object, Object>>> exit = new ArrayList<>();
    private boolean isLast;
    private @Nullable Object open;

    StateRows(Object key) {
        this.key = key;
    }

    /**
     * Adds an action that runs when the machine enters the state. Actions run in the order in which they were added.
     *
     * @param action the action
     * @return these rows
     */
    @SuppressWarnings("unchecked") // the state is in this state when the action runs
    public StateRows<S, N, E, D> onEntry(Handler<Step<N, E, D>> action) {
        entry.add((Handler<Step<Object, Object, Object>>) (Handler<?>) Objects.requireNonNull(action,
                "action"));
        return this;
    }

    /**
     * Adds an action that runs when the machine leaves the state. Actions run in the order in which they were added. They do
     * not run when the machine is stopped.
     *
     * @param action the action
     * @return these rows
     */
    @SuppressWarnings("unchecked") // the state is in this state when the action runs
    public StateRows<S, N, E, D> onExit(Handler<Step<N, E, D>> action) {
        exit.add((Handler<Step<Object, Object, Object>>) (Handler<?>) Objects.requireNonNull(action,
                "action"));
        return this;
    }

    /**
     * Begins a row about an event.
     *
     * @param <T> type of the event
     * @param event the event; an event that is equal to it is the same
     * @return the row, which must say where it leads
     */
    public <T extends E> TransitionRow<S, N, E, D, T> on(T event) {
        return begin(Objects.requireNonNull(event, "event"), null);
    }

    /**
     * Begins a row about all events of a class.
     *
     * @param <T> type of the event
     * @param type the class
     * @return the row, which must say where it leads
     */
    public <T extends E> TransitionRow<S, N, E, D, T> on(Class<T> type) {
        return begin(Objects.requireNonNull(type, "type"), null);
    }

    /**
     * Begins a row about a time-out. The time begins when the machine enters the state, and is cancelled when the machine
     * leaves it. Events that are handled in the state do not change it.
     *
     * @param delay how long the machine has to be in the state; more than zero
     * @return the row, which must say where it leads; its actions get the duration as their event
     */
    public TransitionRow<S, N, E, D, Duration> after(Duration delay) {
        checkDelay(delay);
        return begin(delay, (state, data) -> delay);
    }

    /**
     * Begins a row about a time-out whose duration depends on the state and the data. It is determined when the machine
     * enters the state.
     *
     * @param delay returns how long the machine has to be in the state; more than zero
     * @return the row, which must say where it leads; its actions get the duration as their event
     */
    @SuppressWarnings("unchecked") // the state is in this state when the function is called
    public TransitionRow<S, N, E, D, Duration> after(BiFunction<? super N, ? super D, Duration> delay) {
        Objects.requireNonNull(delay, "delay");
        return begin(new Varying(),
                (BiFunction<Object, Object, Duration>) (BiFunction<?, ?, Duration>) delay);
    }

    /** The duration of a time-out as long as it is not known. */
    private static final class Varying {
        @Override
        public String toString() {
            return "a time that depends on the data";
        }
    }

    static Duration checkDelay(Duration delay) {
        if (Objects.requireNonNull(delay, "delay").isNegative() || delay.isZero()) {
            throw new IllegalArgumentException("the delay of a time-out must be more than zero: " + delay);
        }
        return delay;
    }

    /**
     * Adds that the machine stops when it has entered the state. Such a state takes no events.
     *
     * @return these rows
     */
    public StateRows<S, N, E, D> end() {
        isLast = true;
        return this;
    }

    private <T> TransitionRow<S, N, E, D, T> begin(Object trigger,
            @Nullable BiFunction<Object, Object, Duration> delay) {
        checkComplete();
        open = trigger;
        return new TransitionRow<>(this, trigger, delay);
    }

    StateRows<S, N, E, D> add(Rule rule) {
        open = null;
        rules.add(rule);
        return this;
    }

    StateRules rules() {
        checkComplete();
        return new StateRules(key, List.copyOf(rules), List.copyOf(entry), List.copyOf(exit), isLast);
    }

    private void checkComplete() {
        if (open != null) {
            throw new IllegalStateException(
                    "the row about " + TableKeys.text(open) + " in " + TableKeys.text(key)
                            + " does not say where it leads; call goTo, stay, postpone or ignore on it");
        }
    }
}
