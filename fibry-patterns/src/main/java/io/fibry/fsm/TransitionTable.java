package io.fibry.fsm;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The states of a machine, and what each of them does with events and time-outs. A table is checked when it is built. It is
 * immutable and thread-safe, as far as the actions in it are, and any number of machines can have the same one.
 *
 * <p>States and events are enums, sealed types, or any other values. A table names them by a value, which stands for all
 * values that are equal to it, or by a class, which stands for all its objects.
 *
 * @param <S> type of the states
 * @param <E> type of the events
 * @param <D> type of the data that a machine carries
 */
public final class TransitionTable<S, E, D> {
    private final Class<S> states;
    private final Class<E> events;
    private final S initial;
    private final Map<Object, StateRules> byKey;
    private final List<StateRules> inOrder;
    private final Supplier<? extends D> data;

    TransitionTable(Class<S> states, Class<E> events, S initial, Map<Object, StateRules> byKey,
            List<StateRules> inOrder, Supplier<? extends D> data) {
        this.states = states;
        this.events = events;
        this.initial = initial;
        this.byKey = byKey;
        this.inOrder = inOrder;
        this.data = data;
        for (var state : inOrder) {
            for (var rule : state.rows()) {
                if (rule.target() instanceof Target.GoTo to) {
                    to.lookUp(this);
                }
            }
        }
    }

    /**
     * Begins a table for machines that carry data.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param <D> type of the data
     * @param states the type of the states
     * @param events the type of the events
     * @param data makes the data of a machine, inside its actor, when it starts and when it is restarted
     * @return the builder
     */
    public static <S, E, D> TableBuilder<S, E, D> of(Class<S> states, Class<E> events,
            Supplier<? extends D> data) {
        return new TableBuilder<>(states, events, data);
    }

    /**
     * Begins a table for machines without data.
     *
     * @param <S> type of the states
     * @param <E> type of the events
     * @param states the type of the states
     * @param events the type of the events
     * @return the builder
     */
    public static <S, E> TableBuilder<S, E, Object> of(Class<S> states, Class<E> events) {
        return new TableBuilder<>(states, events, () -> "none");
    }

    /**
     * Returns the state in which a machine begins.
     *
     * @return the state
     */
    public S initial() {
        return initial;
    }

    /**
     * Returns the table as a state diagram in the language of Mermaid. A transition shows its event and the text of its
     * guard. What a state postpones, ignores, or does without being left is shown in the state. The transitions of every
     * state are shown at each one that is not last.
     *
     * @return the diagram, several lines
     */
    public String toMermaid() {
        return new Mermaid(this).text();
    }

    Supplier<? extends D> dataMaker() {
        return data;
    }

    Class<E> events() {
        return events;
    }

    Class<S> states() {
        return states;
    }

    List<StateRules> inOrder() {
        return inOrder;
    }

    /** Tells whether a state puts events aside. */
    boolean postpones() {
        return inOrder.stream().flatMap(each -> each.rows().stream())
                .anyMatch(rule -> rule.target() instanceof Target.Postpone);
    }

    /** What the table says about a state; null for a state that a maker has made and the table does not know. */
    @Nullable StateRules rulesOf(Object state) {
        return rulesOf(byKey, inOrder, state);
    }

    /**
     * Returns the rules of a state: those of the value, or else those of its very class, or else those of the first class in
     * the table to which it belongs; null if there are none. The check of a table, its diagram and its machines all use this.
     */
    static @Nullable StateRules rulesOf(Map<Object, StateRules> byKey, Collection<StateRules> inOrder,
            Object state) {
        var exact = byKey.get(state);
        if (exact == null) {
            exact = byKey.get(state.getClass());
        }
        if (exact != null) {
            return exact;
        }
        for (var each : inOrder) {
            if (each.key() instanceof Class<?> && TableKeys.takes(each.key(), state)) {
                return each;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return "TransitionTable[" + Objects.requireNonNull(states).getSimpleName() + ", states: "
                + inOrder.size() + "]";
    }
}
