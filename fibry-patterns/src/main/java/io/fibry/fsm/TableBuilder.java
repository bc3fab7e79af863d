package io.fibry.fsm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Collects the states of a machine and what they do, and makes a table. Objects are used by one thread.
 *
 * @param <S> type of the states
 * @param <E> type of the events
 * @param <D> type of the data
 */
public final class TableBuilder<S, E, D> {
    private final Class<S> states;
    private final Class<E> events;
    private final Supplier<? extends D> data;
    private final Map<Object, StateRules> rules = new LinkedHashMap<>();
    private final List<Object> twice = new ArrayList<>();
    private final StateRows<S, S, E, D> everywhere = new StateRows<>("every state");

    TableBuilder(Class<S> states, Class<E> events, Supplier<? extends D> data) {
        this.states = Objects.requireNonNull(states, "states");
        this.events = Objects.requireNonNull(events, "events");
        this.data = Objects.requireNonNull(data, "data");
    }

    /**
     * Describes a state.
     *
     * @param state the state; a state that is equal to it is the same
     * @param rows adds what the state does
     * @return this builder
     */
    public TableBuilder<S, E, D> state(S state, Consumer<? super StateRows<S, S, E, D>> rows) {
        return add(Objects.requireNonNull(state, "state"), new StateRows<>(state), rows);
    }

    /**
     * Describes all states of a class, for states that carry values. What is said about a value counts before what is said
     * about its class.
     *
     * @param <N> type of the state
     * @param type the class
     * @param rows adds what the states do
     * @return this builder
     */
    public <N extends S> TableBuilder<S, E, D> state(Class<N> type,
            Consumer<? super StateRows<S, N, E, D>> rows) {
        return add(Objects.requireNonNull(type, "type"), new StateRows<>(type), rows);
    }

    private <N> TableBuilder<S, E, D> add(Object key, StateRows<S, N, E, D> made,
            Consumer<? super StateRows<S, N, E, D>> rows) {
        rows.accept(made);
        if (rules.put(key, made.rules()) != null) {
            twice.add(key);
        }
        return this;
    }

    /**
     * Describes what all states do that are not last ones. The rows of a state itself are looked at first. The actions of
     * entering and leaving run after those of the state, and its time-outs are those of each state.
     *
     * @param rows adds what the states do
     * @return this builder
     */
    public TableBuilder<S, E, D> everyState(Consumer<? super StateRows<S, S, E, D>> rows) {
        rows.accept(everywhere);
        return this;
    }

    /**
     * Checks the table and makes it. All of these are errors, and the exception names each:
     *
     * <ul>
     * <li>a transition to a state that is not described
     * <li>a state that no transitions lead to, or a constant or class of the type of states that is not described
     * <li>a row that never applies, since one before it takes the same events without a guard, or with the same guard
     * <li>a constant or class of the type of events that no state takes
     * <li>a state that is described twice, and a last state that has rows
     * </ul>
     *
     * @param initial the state in which a machine begins
     * @return the table
     * @throws IllegalArgumentException if there is an error in the table
     */
    public TransitionTable<S, E, D> build(S initial) {
        Objects.requireNonNull(initial, "initial");
        var every = everywhere.rules();
        var errors = new TableCheck(rules, every, initial).errors(states, events);
        for (var key : twice) {
            errors.add("state " + TableKeys.text(key) + " is described twice: join the two descriptions");
        }
        if (!errors.isEmpty()) {
            throw new IllegalArgumentException("the table of " + states.getSimpleName() + " has "
                    + (errors.size() == 1 ? "an error: " : errors.size() + " errors: ")
                    + String.join("; ", errors));
        }
        var all = new LinkedHashMap<>(rules);
        all.replaceAll((key, each) -> each.with(every));
        return new TransitionTable<>(states, events, initial, all, List.copyOf(all.values()), data);
    }
}
