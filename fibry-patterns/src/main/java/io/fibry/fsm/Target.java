package io.fibry.fsm;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Where a rule leads. */
sealed interface Target {
    /** The machine stays in its state, without leaving it. */
    record Stay() implements Target {
    }

    /** The machine goes to a state that is known beforehand. */
    final class GoTo implements Target {
        private final Object state;
        /** What the table says about the state. Set once, when the table is built. */
        private @Nullable StateRules rules;

        GoTo(Object state) {
            this.state = state;
        }

        Object state() {
            return state;
        }

        StateRules rules() {
            return Objects.requireNonNull(rules);
        }

        void lookUp(TransitionTable<?, ?, ?> table) {
            rules = table.rulesOf(state);
        }
    }

    /** The machine goes to a state that is made for it. */
    final class Make implements Target {
        private final Class<?> type;
        private final StateMaker<Object, Object, Object, ?> maker;

        Make(Class<?> type, StateMaker<Object, Object, Object, ?> maker) {
            this.type = type;
            this.maker = maker;
        }

        Class<?> type() {
            return type;
        }

        StateMaker<Object, Object, Object, ?> maker() {
            return maker;
        }
    }

    /** The event is put aside until the state is left. */
    record Postpone() implements Target {
    }

    /** The event is handled without any effect. */
    record Ignore() implements Target {
    }
}
