package io.fibry.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.Garbage;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class IdleActorTest {
    @Promise("13.1")
    @Test
    void anIdleActorOnFibersHoldsNoThread() throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.fibers()).open()) {
            var actor = scope.anonymous().newActorWithReturn((Integer n) -> Thread.currentThread());
            for (int i = 0; i < 10; i++) {
                Waits.on(Waits.on(actor.sendMessageReturn(i))); // its thread ends although it lives
            }
        }
    }

    private static WeakReference<Actor<Integer, Integer>> used(ActorScope scope, MailboxPolicy mailbox)
            throws Exception {
        var actor = scope.anonymous().mailbox(mailbox).newActorWithReturn((Integer n) -> n);
        Waits.on(actor.sendMessageReturn(1));
        return new WeakReference<>(actor);
    }

    @Promise("13.1")
    @Test
    void anActorThatNobodyRefersToIsGarbage() throws Exception {
        try (var scope = ActorSystem.configure("test").strategy(CreationStrategy.fibers()).open()) {
            Garbage.is(used(scope, MailboxPolicy.unbounded()));
            Garbage.is(used(scope, MailboxPolicy.bounded(2, OverflowPolicy.block())));
        }
    }

    @Promise("13.1")
    @Test
    void unlessItHasANameHooksOrTimers() throws Exception {
        var ended = new CopyOnWriteArrayList<String>();
        var time = new ManualTime();
        var references = new ArrayList<WeakReference<?>>();
        try (var scope =
                ActorSystem.configure("test").strategy(CreationStrategy.fibers()).time(time).open()) {
            references.add(new WeakReference<>(scope.named("named").newActor((Integer n) -> {
            })));
            references.add(new WeakReference<>(scope.anonymous().onExit(() -> ended.add("hook"))
                    .newActor((Integer n) -> {
                    })));
            references.add(new WeakReference<>(scope.anonymous().newActor((Integer n) -> {
            }).closeOnExit(() -> ended.add("resource"))));
            var timed = scope.anonymous().<Integer>newActor((context, n) -> {
                if (n == 0) {
                    context.timers().once("key", Duration.ofSeconds(1), 1);
                } else {
                    ended.add("tick");
                }
            });
            timed.sendMessage(0);
            timed = null;
            await().until(() -> time.pending() == 1);
            for (int i = 0; i < 5; i++) {
                System.gc();
            }
            assertThat(references).noneMatch(reference -> reference.refersTo(null));
            time.advance(Duration.ofSeconds(1));
        }
        assertThat(ended).containsExactlyInAnyOrder("hook", "resource", "tick");
    }
}
