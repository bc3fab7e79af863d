package io.fibry.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A clock that outlives its scopes keeps nothing of them. */
class ClosedScopeTest {
    /** A clock that knows who follows it. */
    private static final class Followed implements TimeSource {
        private final TimeSource time = new ManualTime();
        private final List<Activity> followers = new CopyOnWriteArrayList<>();
        private Runnable inBetween = () -> {
        };

        @Override
        public long nanoTime() {
            return time.nanoTime();
        }

        @Override
        public Cancellable schedule(long delayNanos, Runnable task) {
            return time.schedule(delayNanos, task);
        }

        @Override
        public Cancellable follow(Activity activity) {
            followers.add(activity);
            inBetween.run();
            return () -> followers.remove(activity);
        }
    }

    private static List<Reference<?>> closed(Strategy strategy, ManualTime time, ManualTime ofInner)
            throws Exception {
        var kept = new ArrayList<Reference<?>>();
        try (var scope = Scopes.on(strategy, event -> {
        }, time)) {
            for (var each : List.of(scope, scope.child("same clock").open(),
                    scope.child("other clock").time(ofInner).open())) {
                var actor = each.named("actor").newActorWithReturn((Integer n) -> n);
                Waits.on(actor.sendMessageReturn(1));
                kept.add(new WeakReference<>(each));
                kept.add(new WeakReference<>(actor));
            }
        }
        return kept;
    }

    @Promise("13.2")
    @EveryStrategy
    void isNotKeptByItsClock(Strategy strategy) throws Exception {
        var time = new ManualTime();
        var ofInner = new ManualTime();
        Garbage.isEachOf(closed(strategy, time, ofInner));
        Reference.reachabilityFence(time);
        Reference.reachabilityFence(ofInner);
    }

    @Promise("13.2")
    @Test
    void isFollowedByItsClockAsLongAsItIsOpen() {
        var time = new Followed();
        try (var scope = ActorSystem.configure("outer").time(time).open()) {
            assertThat(time.followers).hasSize(1);
            try (var inner = scope.child("same clock").open()) {
                assertThat(inner.name()).isEqualTo("same clock");
                assertThat(time.followers).as("one for both").hasSize(1);
            }
            assertThat(time.followers).hasSize(1);
        }
        assertThat(time.followers).isEmpty();
    }

    @Promise("13.2")
    @Test
    void isNotFollowedIfItIsClosedWhileItIsBeingOpened() {
        var time = new Followed();
        var outer = ActorSystem.configure("outer").open();
        time.inBetween = outer::close;
        var inner = outer.child("inner").time(time).open();
        assertThat(time.followers).isEmpty();
        assertThatThrownBy(() -> inner.anonymous().newActor((String message) -> {
        })).isInstanceOf(IllegalStateException.class);
    }
}
