package io.fibry.internal.scope;

import io.fibry.Actor;
import io.fibry.Handling;
import io.fibry.Interceptor;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Behavior;
import io.fibry.internal.actor.Current;
import io.fibry.internal.actor.Layer;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.actor.WrongType;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.layer.SurroundingBehavior;
import io.fibry.internal.report.ContentClass;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The layer of the interceptors, next to the handler.
 *
 * @param all the interceptors, outermost first
 * @param ofScope how many of them, the first ones, the scope gives to all its actors
 */
record Interceptors(List<Interceptor> all, int ofScope) implements Layer {
    private static final Interceptors NONE = new Interceptors(List.of(), 0);

    /** Returns a specification with one more interceptor, inside those that it has. */
    static ActorSpec with(ActorSpec spec, Interceptor interceptor, boolean isOfScope) {
        var before = Objects.requireNonNullElse(spec.layer(Interceptors.class), NONE);
        return spec.with(new Interceptors(Stream.concat(before.all.stream(), Stream.of(interceptor)).toList(),
                before.ofScope + (isOfScope ? 1 : 0)));
    }

    /** Returns whether the builder has added none. */
    boolean areOfScope() {
        return all.size() == ofScope;
    }

    @Override
    public Behavior around(ActorSpec spec, Behavior inner) {
        return inner.isBody() ? inner : new Intercepting(inner, all);
    }

    private static final class Intercepting extends SurroundingBehavior {
        private final List<Interceptor> all;

        Intercepting(Behavior inner, List<Interceptor> all) {
            super(inner);
            this.all = all;
        }

        @Override
        public @Nullable Object handle(Turn turn, Object message) throws Exception {
            return new Step(turn, inner, message, all, 0).run();
        }

        @Override
        public Behavior ready(Turn turn) throws Exception {
            return new Intercepting(super.ready(turn), all);
        }
    }

    /** One interceptor at work on one message. The turn writes the fields; other threads are refused, whatever they read. */
    private static final class Step implements Handling {
        private final Turn turn;
        private final Behavior handler;
        private final Object message;
        private final List<Interceptor> all;
        private final int index;
        private boolean hasProceeded;
        private boolean hasReturned;

        Step(Turn turn, Behavior handler, Object message, List<Interceptor> all, int index) {
            this.turn = turn;
            this.handler = handler;
            this.message = message;
            this.all = all;
            this.index = index;
        }

        @Nullable Object run() throws Exception {
            try {
                return all.get(index).around(this);
            } finally {
                hasReturned = true;
            }
        }

        @Override
        public Actor<?, ?> actor() {
            return (Handle<?, ?>) turn.cell;
        }

        @Override
        public Object message() {
            return message;
        }

        @Override
        public @Nullable Object proceed() throws Exception {
            if (hasReturned) {
                throw wrong("was called after the interceptor had returned; call it before");
            }
            var standIn = StandIn.of(turn.cell);
            if (standIn != null) {
                standIn.requireHeld();
            }
            // Another actor may run on the same thread, on top of the interceptor that waits for its answer.
            if (Current.turn() != turn) {
                var other = Current.actor();
                throw wrong("was called by "
                        + (other == null ? "thread '" + Thread.currentThread().getName() : "actor '" + other)
                        + "'; call it in the interceptor itself");
            }
            if (hasProceeded) {
                throw wrong("was called a second time; call it once, and keep what it returns");
            }
            hasProceeded = true;
            if (index + 1 < all.size()) {
                return new Step(turn, handler, message, all, index + 1).run();
            }
            try {
                return handler.handle(turn, message);
            } catch (ClassCastException failure) {
                throw WrongType.named(turn.cell, message, failure, Step.class);
            }
        }

        private IllegalStateException wrong(String how) {
            return new IllegalStateException("proceed() of interceptor " + (index + 1) + " ("
                    + all.get(index).getClass().getName() + ") of actor '" + turn.cell.name()
                    + "', for a message of "
                    + ContentClass.nameOf(message) + ", " + how);
        }

        @Override
        public String toString() {
            return "Handling[" + ContentClass.nameOf(message) + " by " + turn.cell + "]";
        }
    }
}
