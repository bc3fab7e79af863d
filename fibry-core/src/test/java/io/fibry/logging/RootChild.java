package io.fibry.logging;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.Watchdog;
import io.fibry.event.HighWater;
import io.fibry.event.Stuck;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** Configures the root scope, which a JVM can do once. */
public final class RootChild {
    private static final int ROOM = 4;

    private RootChild() {
    }

    public static void main(String[] args) throws Exception {
        var stuck = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        try {
            ActorSystem.configure(root -> root.closeAtShutdown());
        } catch (IllegalArgumentException e) {
            System.out.println("refused: " + e.getMessage().replaceAll(".*: ", ""));
        }
        ActorSystem.configure(root -> root.strategy(CreationStrategy.threads())
                .mailbox(MailboxPolicy.bounded(ROOM, OverflowPolicy.reject())));
        ActorSystem.configure(root -> root.limits(ScopeLimits.none().asks(1))
                .watchdog(Watchdog.none().stuckAfter(Duration.ofMillis(20))).listener(event -> {
                    if (event instanceof HighWater || event instanceof Stuck) {
                        System.out.println(
                                "heard " + event.getClass().getSimpleName() + " of " + event.actor());
                    }
                    if (event instanceof Stuck) {
                        stuck.countDown();
                    }
                }));
        var actor = ActorSystem.named("root's").newActorWithReturn((Integer n) -> {
            go.await();
            return n;
        });
        var entered = actor.sendMessageReturn(1);
        stuck.await();
        try {
            actor.sendMessageReturn(2).get();
        } catch (java.util.concurrent.ExecutionException e) {
            System.out.println("limits: refused");
        }
        System.out.println("full: " + fill(actor));
        try (var scope = ActorSystem.open("inside")) {
            var begun = new CountDownLatch(1);
            var child = scope.anonymous().newActorWithReturn((Integer n) -> {
                begun.countDown();
                go.await();
                return n;
            });
            child.sendMessage(0);
            begun.await(); // it takes no other message out of its mailbox meanwhile
            System.out.println("child full: " + fill(child));
            go.countDown();
        }
        entered.get();
        try {
            ActorSystem.configure(root -> root);
        } catch (IllegalStateException e) {
            System.out.println("too late: " + e.getMessage().contains("in use") + e.getMessage());
        }
        actor.close();
        System.out.println("the end");
        System.exit(0);
    }

    /** What the last one of many says. */
    private static boolean fill(io.fibry.Actor<Integer, Integer> actor) {
        var taken = true;
        for (int n = 0; n < 3 * ROOM; n++) {
            taken = actor.sendMessage(n);
        }
        return taken;
    }
}
