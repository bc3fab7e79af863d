package io.fibry.retention;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import io.fibry.testing.BugClass;
import io.fibry.testing.Garbage;
import io.fibry.testing.Waits;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

@BugClass(30)
class UnreachableActorTest {
    private static final int ACTORS = 200;

    @Test
    void idleFibersOfTheRootScopeAreGarbage() throws Exception {
        assertGarbage(ActorSystem.anonymous().strategy(CreationStrategy.fibers()));
    }

    @Test
    void idleFibersOfAnOpenScopeAreGarbage() throws Exception {
        try (var scope = ActorSystem.open("open")) {
            assertGarbage(scope.anonymous().strategy(CreationStrategy.fibers()));
        }
    }

    @Test
    void theThreadOfAnActorThatNobodyRefersToEndsWithTheScope() throws Exception {
        var thread = new CompletableFuture<Thread>();
        try (var scope = ActorSystem.configure("threads").strategy(CreationStrategy.threads()).open()) {
            scope.anonymous().newActor((Integer n) -> thread.complete(Thread.currentThread())).sendMessage(1);
            Waits.parked(Waits.on(thread));
            Garbage.is(new WeakReference<>(new Object()));
        }
        Waits.on(thread.get());
    }

    private static void assertGarbage(ActorBuilder builder) throws Exception {
        var actors = new ArrayList<Reference<?>>();
        for (int n = 0; n < ACTORS; n++) {
            actors.addAll(made(builder));
            actors.addAll(made(builder.mailbox(MailboxPolicy.bounded(5, OverflowPolicy.block()))));
        }
        Garbage.isEachOf(actors);
    }

    /** Some that nobody has used, and some that have done this and that. */
    private static List<Reference<?>> made(ActorBuilder builder) throws Exception {
        var used = builder.newActorWithReturn((Integer n) -> n);
        used.sendMessage(1);
        used.ask(2, Duration.ofHours(1));
        var asker = builder.newActorWithReturn((Integer n) -> used.apply(n));
        Waits.on(asker.sendMessageReturn(3));
        var stateful = builder.state(StringBuilder::new)
                .newActor((StringBuilder state, Integer n) -> state.append(n));
        stateful.sendMessage(4);
        var receiving = builder.<Integer>newReceivingActor((context, n) -> context.receive(i -> i == n + 1));
        receiving.sendMessage(5);
        receiving.sendMessage(6);
        var actors =
                List.<Actor<Integer, ?>>of(used, asker, stateful, receiving, builder.newActor((Integer n) -> {
                }), Stereotypes.with(builder).sink(null));
        for (var actor : actors) {
            Waits.until("idle", () -> actor.state() == ActorState.IDLE);
        }
        return actors.stream().<Reference<?>>map(WeakReference::new).toList();
    }
}
