package io.fibry.fsm;

import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A row of a table that is being written: what a state does with one kind of event, or when a time is over. One of {@link
 * #goTo(Object) goTo}, {@link #stay()}, {@link #postpone()} and {@link #ignore()} completes the row. Objects are used by one
 * thread, while the table is built.
 *
 * @param <S> type of the machine's states
 * @param <N> type of the state that is described
 * @param <E> type of the machine's events
 * @param <D> type of the machine's data
 * @param <T> type of the event; {@link Duration} for a time-out
 */
public final class TransitionRow<S, N, E, D, T> {
    private final StateRows<S, N, E, D> rows;
    private final Object trigger;
    private final @Nullable BiFunction<Object, Object, Duration> delay;
    private @Nullable Guard<Object, Object, Object> guard;
    private String guardText = "";
    private @Nullable Action<Object, Object, Object, Object> action;

    TransitionRow(StateRows<S, N, E, D> rows, Object trigger,
            @Nullable BiFunction<Object, Object, Duration> delay) {
        this.rows = rows;
        this.trigger = trigger;
        this.delay = delay;
    }

    /**
     * Adds a guard. If the guard does not allow the event, the machine considers the next row for the event.
     *
     * @param condition the guard
     * @return this row
     */
    public TransitionRow<S, N, E, D, T> when(Guard<? super N, ? super T, ? super D> condition) {
        return when("guard", condition);
    }

    /**
     * Adds a guard with a text, which the diagram shows.
     *
     * @param text what the guard checks
     * @param condition the guard
     * @return this row
     */
    @SuppressWarnings("unchecked") // it is called with this state and event
    public TransitionRow<S, N, E, D, T> when(String text, Guard<? super N, ? super T, ? super D> condition) {
        guardText = Objects.requireNonNull(text, "text");
        if (guard != null) {
            throw new IllegalStateException(
                    "the row about " + TableKeys.text(trigger) + " has a guard already: join both by &&");
        }
        guard = (Guard<Object, Object, Object>) Objects.requireNonNull(condition, "condition");
        return this;
    }

    /**
     * Adds what is done when the row is taken: after the state was left, and before the next one is entered.
     *
     * @param code the action
     * @return this row
     */
    @SuppressWarnings("unchecked") // it is called with this state and event
    public TransitionRow<S, N, E, D, T> run(Action<N, E, D, ? super T> code) {
        if (action != null) {
            throw new IllegalStateException(
                    "the row about " + TableKeys.text(trigger) + " has an action already: do both in one");
        }
        action = (Action<Object, Object, Object, Object>) (Action<?, ?, ?, ?>) Objects.requireNonNull(code,
                "code");
        return this;
    }

    /**
     * Completes the row: the machine leaves its state and enters another one. If this is the same state, it is left and
     * entered again.
     *
     * @param state the next state
     * @return the rows of the state
     */
    public StateRows<S, N, E, D> goTo(S state) {
        return lead(new Target.GoTo(Objects.requireNonNull(state, "state")));
    }

    /**
     * Completes the row: the machine leaves its state and enters one that is made then, for states that carry values.
     *
     * @param <X> type of the next state
     * @param type the class of the next state, by which the table is checked
     * @param maker makes the next state
     * @return the rows of the state
     */
    @SuppressWarnings("unchecked") // it is called with this state and event
    public <X extends S> StateRows<S, N, E, D> goTo(Class<X> type,
            StateMaker<? super N, ? super T, ? super D, ? extends X> maker) {
        return lead(new Target.Make(Objects.requireNonNull(type, "type"),
                (StateMaker<Object, Object, Object, ?>) (StateMaker<?, ?, ?, ?>) Objects
                        .requireNonNull(maker, "maker")));
    }

    /**
     * Completes the row: the machine stays in its state. The state is neither left nor entered, and its time-outs go on.
     *
     * @return the rows of the state
     */
    public StateRows<S, N, E, D> stay() {
        return lead(new Target.Stay());
    }

    /**
     * Completes the row: the event is put aside until the machine leaves the state.
     *
     * @return the rows of the state
     * @throws IllegalStateException if the row is about a time-out, or has an action
     */
    public StateRows<S, N, E, D> postpone() {
        requirePlain("postponed");
        return lead(new Target.Postpone());
    }

    /**
     * Completes the row: the event is handled without any effect.
     *
     * @return the rows of the state
     * @throws IllegalStateException if the row is about a time-out, or has an action
     */
    public StateRows<S, N, E, D> ignore() {
        requirePlain("ignored");
        return lead(new Target.Ignore());
    }

    private void requirePlain(String what) {
        if (delay != null || action != null) {
            throw new IllegalStateException("the row about " + TableKeys.text(trigger)
                    + (delay != null ? " is about a time-out" : " has an action")
                    + ", so it cannot be " + what);
        }
    }

    private StateRows<S, N, E, D> lead(Target target) {
        return rows.add(new Rule(trigger, delay, guard, guardText, action, target));
    }
}
