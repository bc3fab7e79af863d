package io.fibry.bench.jmh;

import io.fibry.ActorBuilder;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.Stereotypes;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** The kinds of askers and of those that answer. Each kind returns the sum of the answers. */
public enum Asker {
    /** Both are actors on fibers. */
    FIBERS,
    /** The same, and the actor that is asked has a stack of its own. */
    OWN_STACK,
    /** Both are actors on fibers, and each ask has a time limit that is not reached. */
    LIMITED,
    /** The same, and the asker runs the actor itself. */
    LIMITED_IN_PLACE,
    /** The same without a time limit. */
    UNLIMITED_IN_PLACE,
    /** Both are actors on platform threads of their own. */
    THREADS,
    /** Both are actors on a pool of two platform threads. */
    POOL,
    /** A platform thread that is not ours asks an actor on fibers. */
    FROM_OUTSIDE,
    /** A virtual thread that is not ours asks an actor on fibers. */
    FROM_VIRTUAL,
    /** The same, and each ask has a time limit that is not reached. */
    FROM_VIRTUAL_LIMITED,
    /** A virtual thread that is not ours runs the actor itself: it is allowed to, and waits at once. */
    IN_PLACE,
    /** The same, and the thread runs the actor itself if it comes first. */
    SHARED,
    /** By hand. */
    VIRTUAL_TRANSFER,
    /** By hand. */
    VIRTUAL_BLOCKING,
    /** By hand. */
    PLATFORM_BLOCKING,
    /** An actor of Pekko asks another one, and the answer is piped to the asker. */
    PEKKO,
    /** A platform thread asks an actor of Pekko and waits. */
    PEKKO_FROM_OUTSIDE,
    /** A coroutine asks another through its channel and waits for a deferred answer. */
    KOTLIN;

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private record Question(int number, CompletableFuture<Integer> answer) {
    }

    int ask(int asks) throws Exception {
        return switch (this) {
            case FIBERS -> snippet(CreationStrategy.fibers(), asks);
            case OWN_STACK -> snippet(CreationStrategy.fibers(), ActorBuilder::ownStack, asks);
            case LIMITED -> limited(builder -> builder, asks);
            case LIMITED_IN_PLACE -> limited(ActorBuilder::runByCallers, asks);
            case UNLIMITED_IN_PLACE -> snippet(CreationStrategy.fibers(), ActorBuilder::runByCallers, asks);
            case THREADS -> snippet(CreationStrategy.threads(), asks);
            case POOL -> snippet(CreationStrategy.pool(2), asks);
            case FROM_OUTSIDE -> fromOutside(asks);
            case FROM_VIRTUAL -> onVirtual(() -> fromOutside(asks));
            case FROM_VIRTUAL_LIMITED -> onVirtual(() -> limitedFromOutside(asks));
            case IN_PLACE -> onVirtual(() -> inPlace(asks));
            case SHARED -> onVirtual(() -> shared(asks));
            case VIRTUAL_TRANSFER -> byHand(Thread.ofVirtual(), new LinkedTransferQueue<>(), asks);
            case VIRTUAL_BLOCKING -> byHand(Thread.ofVirtual(), new LinkedBlockingQueue<>(), asks);
            case PLATFORM_BLOCKING -> byHand(Thread.ofPlatform(), new LinkedBlockingQueue<>(), asks);
            case PEKKO -> PekkoAsk.fromActor(asks);
            case PEKKO_FROM_OUTSIDE -> PekkoAsk.fromOutside(asks);
            case KOTLIN -> CoroutinePeers.ask(asks);
        };
    }

    /** Runs the snippet of article 002, and adds up the answers. */
    private static int snippet(CreationStrategy strategy, int asks) {
        return snippet(strategy, answering -> answering, asks);
    }

    private static int snippet(CreationStrategy strategy, UnaryOperator<ActorBuilder> how, int asks) {
        var sum = new AtomicInteger();
        ActorSystem.setDefaultStrategy(strategy);
        var act = how.apply(ActorSystem.anonymous()).newActorWithReturn((Integer n) -> n * n);
        Stereotypes.def().runOnceSilent(() -> {
            int local = 0;
            for (int i = 0; i < asks; i++) {
                local += act.sendMessageReturn(i).get();
            }
            sum.set(local);
        }).closeOnExit(act).waitForExit();
        return sum.get();
    }

    private static int limited(UnaryOperator<ActorBuilder> how, int asks) {
        var sum = new AtomicInteger();
        ActorSystem.setDefaultStrategy(CreationStrategy.fibers());
        var act = how.apply(ActorSystem.anonymous()).newActorWithReturn((Integer n) -> n * n);
        Stereotypes.def().runOnceSilent(() -> {
            int local = 0;
            for (int i = 0; i < asks; i++) {
                local += act.ask(i, LIMIT).get();
            }
            sum.set(local);
        }).closeOnExit(act).waitForExit();
        return sum.get();
    }

    private static int fromOutside(int asks) throws ExecutionException, InterruptedException {
        var act = ActorSystem.anonymous().strategy(CreationStrategy.fibers())
                .newActorWithReturn((Integer n) -> n * n);
        int sum = 0;
        for (int i = 0; i < asks; i++) {
            sum += act.sendMessageReturn(i).get();
        }
        return sum;
    }

    private static int limitedFromOutside(int asks) throws ExecutionException, InterruptedException {
        var act = ActorSystem.anonymous().strategy(CreationStrategy.fibers())
                .newActorWithReturn((Integer n) -> n * n);
        int sum = 0;
        for (int i = 0; i < asks; i++) {
            sum += act.ask(i, LIMIT).get();
        }
        return sum;
    }

    private static int inPlace(int asks) {
        var act = ActorSystem.anonymous().strategy(CreationStrategy.fibers()).runByCallers()
                .newActorWithReturn((Integer n) -> n * n);
        int sum = 0;
        for (int i = 0; i < asks; i++) {
            sum += act.apply(i);
        }
        return sum;
    }

    private static int shared(int asks) throws ExecutionException, InterruptedException {
        var act = ActorSystem.anonymous().strategy(CreationStrategy.fibers()).runByCallers()
                .newActorWithReturn((Integer n) -> n * n);
        int sum = 0;
        for (int i = 0; i < asks; i++) {
            sum += act.sendMessageReturn(i).get();
        }
        return sum;
    }

    private static int onVirtual(Callable<Integer> asks) throws Exception {
        var sum = new FutureTask<>(asks);
        Thread.startVirtualThread(sum);
        return sum.get();
    }

    private static int byHand(Thread.Builder builder, BlockingQueue<Object> queue, int asks) {
        var sum = new AtomicInteger();
        var answering = Poisoned.start(builder, queue, message -> {
            if (message instanceof Question question) {
                question.answer.complete(question.number * question.number);
            }
        });
        Poisoned.join(builder.start(() -> {
            int local = 0;
            for (int i = 0; i < asks; i++) {
                var question = new Question(i, new CompletableFuture<>());
                queue.add(question);
                local += question.answer.join();
            }
            sum.set(local);
        }));
        answering.stop();
        return sum.get();
    }
}
