package io.fibry.bench;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.Stereotypes;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/** The kinds of idle actors whose memory is measured. */
enum IdleActor {
    SINK("Fibry, sink", "<= 64") {
        @Override
        IntFunction<Object> maker() {
            return i -> Stereotypes.fibers().sink(null);
        }
    },
    HANDLER("Fibry, lambda handler", "<= 64") {
        @Override
        IntFunction<Object> maker() {
            return i -> FIBERS.newActor((String message) -> System.out.println(message));
        }
    },
    USED("Fibry, handler that has answered", "<= 64") {
        @Override
        IntFunction<Object> maker() {
            return i -> {
                var actor = FIBERS.newActorWithReturn((Integer n) -> n + 1);
                if (actor.apply(i) != i + 1) {
                    throw new AssertionError("a wrong answer");
                }
                return actor;
            };
        }
    },
    SCOPED("Fibry, handler in a scope", "<= 120") {
        @Override
        IntFunction<Object> maker() {
            var scope = ActorSystem.open("idle");
            return i -> scope.anonymous().newActor((String message) -> System.out.println(message));
        }
    },
    NAMED("Fibry, handler with a name", "<= 176") {
        @Override
        IntFunction<Object> maker() {
            return i -> ActorSystem.named("actor-" + i).newActor((String message) -> System.out.println(
                    message));
        }
    },
    BOUNDED("Fibry, bounded mailbox", "<= 136") {
        @Override
        IntFunction<Object> maker() {
            var bounded = FIBERS.mailbox(MailboxPolicy.bounded(100, OverflowPolicy.reject()));
            return i -> bounded.newActor((String message) -> System.out.println(message));
        }
    },
    BY_HAND(Peers.VIRTUAL_TRANSFER, "") {
        @Override
        IntFunction<Object> maker() {
            return i -> {
                var queue = new LinkedTransferQueue<String>();
                var thread = Thread.startVirtualThread(() -> printAll(queue));
                return new Object[]{thread, queue};
            };
        }

        @Override
        boolean isIdle(Object made) {
            return made instanceof Object[] parts && parts[0] instanceof Thread thread
                    && thread.getState() == Thread.State.WAITING;
        }
    };

    private static final ActorBuilder FIBERS =
            ActorSystem.anonymous().strategy(CreationStrategy.fibers());

    final String subject;
    final String budget;

    IdleActor(String subject, String budget) {
        this.subject = subject;
        this.budget = budget;
    }

    abstract IntFunction<Object> maker();

    boolean isIdle(Object made) {
        return made instanceof Actor<?, ?> actor && actor.state() == ActorState.IDLE;
    }

    final void awaitIdle(Object made) {
        while (!isIdle(made)) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void printAll(BlockingQueue<String> queue) {
        try {
            while (true) {
                System.out.println(queue.take());
            }
        } catch (InterruptedException nobodyDoesThat) {
            throw new IllegalStateException(nobodyDoesThat);
        }
    }
}
