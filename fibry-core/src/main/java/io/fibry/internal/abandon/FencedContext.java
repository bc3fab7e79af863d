package io.fibry.internal.abandon;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.event.Stopped;
import io.fibry.internal.actor.Context;
import io.fibry.internal.actor.Handle;
import io.fibry.internal.actor.StandIn;
import io.fibry.time.Schedule;
import io.fibry.time.Scheduled;
import io.fibry.time.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The context of an actor whose handlers may be abandoned. A handler that was abandoned can use it no more. */
final class FencedContext<M, R extends @Nullable Object> extends Context<M, R> {
    FencedContext(Handle<M, R> cell) {
        super(cell);
    }

    private <T extends @Nullable Object> T fenced(Supplier<T> step) {
        var mine = StandIn.of(cell);
        // mutant: abandoned-thread-sets-timers
        return mine == null ? step.get() : mine.inside(step);
    }

    private void fenced(Runnable step) {
        this.<@Nullable Object>fenced(() -> {
            step.run();
            return null;
        });
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
        return new FencedTimers(fenced(super::timers));
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
        fenced(() -> super.watch(other, notice));
    }

    @Override
    public boolean unwatch(Actor<?, ?> other) {
        return fenced(() -> super.unwatch(other));
    }

    @Override
    public void link(Actor<?, ?> other) {
        fenced(() -> super.link(other));
    }

    @Override
    public void unlink(Actor<?, ?> other) {
        fenced(() -> super.unlink(other));
    }

    @Override
    public void askExit() {
        fenced(super::askExit);
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
            return fenced(() -> timers.set(key, schedule, message));
        }

        @Override
        public boolean cancel(Object key) {
            return fenced(() -> timers.cancel(key));
        }

        @Override
        public boolean isSet(Object key) {
            return fenced(() -> timers.isSet(key));
        }

        @Override
        public String toString() {
            return timers.toString();
        }
    }
}
