package io.fibry.internal.abandon;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.event.Stopped;
import io.fibry.function.ContextHandler;
import io.fibry.function.ContextReplyHandler;
import io.fibry.internal.actor.StandIn;
import io.fibry.internal.handle.Context;
import io.fibry.internal.handle.Handle;
import io.fibry.message.DeferredReply;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The context of an actor whose handlers may be abandoned. A handler that was abandoned can use it no more. */
final class FencedContext<M, R extends @Nullable Object> extends Context<M, R> {
    FencedContext(Handle<M, R> cell) {
        super(cell);
    }

    /** Begins an operation that only the actor may perform; returns what to pass to {@link #leave}. */
    private @Nullable StandIn enter() {
        var mine = StandIn.of(cell);
        // mutant: abandoned-thread-sets-timers
        if (mine != null) {
            mine.beginInside();
        }
        return mine;
    }

    private static void leave(@Nullable StandIn entered) {
        if (entered != null) {
            entered.endInside();
        }
    }

    private void check() {
        var mine = StandIn.of(cell);
        if (mine != null) {
            mine.requireHeld();
        }
    }

    @Override
    public Actor<M, R> self() {
        check();
        return super.self();
    }

    @Override
    public ActorScope scope() {
        check();
        return super.scope();
    }

    @Override
    public boolean exitRequested() {
        check();
        return super.exitRequested();
    }

    @Override
    public Timers<M> timers() {
        var entered = enter();
        try {
            return new FencedTimers(super.timers());
        } finally {
            leave(entered);
        }
    }

    @Override
    public ActorBuilder child() {
        check(); // the admission of the child checks again: see Admission
        return super.child();
    }

    @Override
    public ActorBuilder child(String name) {
        check();
        return super.child(name);
    }

    @Override
    public void watch(Actor<?, ?> other, Function<? super Stopped, ? extends M> notice) {
        var entered = enter();
        try {
            super.watch(other, notice);
        } finally {
            leave(entered);
        }
    }

    @Override
    public boolean unwatch(Actor<?, ?> other) {
        var entered = enter();
        try {
            return super.unwatch(other);
        } finally {
            leave(entered);
        }
    }

    @Override
    public void link(Actor<?, ?> other) {
        var entered = enter();
        try {
            super.link(other);
        } finally {
            leave(entered);
        }
    }

    @Override
    public void unlink(Actor<?, ?> other) {
        var entered = enter();
        try {
            super.unlink(other);
        } finally {
            leave(entered);
        }
    }

    @Override
    public void stash() {
        var entered = enter();
        try {
            super.stash();
        } finally {
            leave(entered);
        }
    }

    @Override
    public void unstashAll() {
        var entered = enter();
        try {
            super.unstashAll();
        } finally {
            leave(entered);
        }
    }

    @Override
    public Optional<M> dropOldestStashed() {
        var entered = enter();
        try {
            return super.dropOldestStashed();
        } finally {
            leave(entered);
        }
    }

    @Override
    public void become(ContextHandler<M> handler) {
        var entered = enter();
        try {
            super.become(handler);
        } finally {
            leave(entered);
        }
    }

    @Override
    public void becomeWithReturn(ContextReplyHandler<M, R> handler) {
        var entered = enter();
        try {
            super.becomeWithReturn(handler);
        } finally {
            leave(entered);
        }
    }

    @Override
    public void unbecome() {
        var entered = enter();
        try {
            super.unbecome();
        } finally {
            leave(entered);
        }
    }

    @Override
    public void askExit() {
        var entered = enter();
        try {
            super.askExit();
        } finally {
            leave(entered);
        }
    }

    @Override
    public DeferredReply<R> deferReply() {
        var entered = enter();
        try {
            return super.deferReply();
        } finally {
            leave(entered);
        }
    }

    @Override
    public Optional<Duration> timeLeft() {
        check();
        return super.timeLeft();
    }

    @Override
    public <T extends @Nullable Object> T withoutDeadline(Callable<T> code) throws Exception {
        check();
        return super.withoutDeadline(code);
    }

    private final class FencedTimers implements Timers<M> {
        private final Timers<M> timers;

        FencedTimers(Timers<M> timers) {
            this.timers = timers;
        }

        @Override
        public Scheduled set(Object key, Schedule schedule, M message) {
            var entered = enter();
            try {
                return timers.set(key, schedule, message);
            } finally {
                leave(entered);
            }
        }

        @Override
        public boolean cancel(Object key) {
            var entered = enter();
            try {
                return timers.cancel(key);
            } finally {
                leave(entered);
            }
        }

        @Override
        public boolean isSet(Object key) {
            var entered = enter();
            try {
                return timers.isSet(key);
            } finally {
                leave(entered);
            }
        }

        @Override
        public String toString() {
            return timers.toString();
        }
    }
}
