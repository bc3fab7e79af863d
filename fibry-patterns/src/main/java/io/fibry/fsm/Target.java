package io.fibry.fsm;

/** Where a rule leads. */
sealed interface Target {
    /** The machine stays in its state, without leaving it. */
    record Stay() implements Target {
    }

    /** The machine goes to a state that is known beforehand. */
    record GoTo(Object state) implements Target {
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
