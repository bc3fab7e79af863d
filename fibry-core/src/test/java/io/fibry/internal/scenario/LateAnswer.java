package io.fibry.internal.scenario;

import io.fibry.AskTimeoutException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** The time of an ask ends while threads wait for it, look at it and add callbacks to it: each of them learns of it, once. */
final class LateAnswer implements Scenario {
    @Override
    public String name() {
        return "late-answer";
    }

    @Override
    public List<String> sometimes() {
        return List.of("called where it was added", "called by a fiber", "seen by a reader", "answered");
    }

    @Override
    public void play(Play play) {
        var open = new CompletableFuture<Boolean>();
        var subject = new Subject(play);
        subject.make(play.anonymous().strategy(play.elsewhere()), (context, message) -> open.get());
        play.spawn("asker", () -> {
            var message = new Msg("asker", 0);
            var answer = subject.askFor(message);
            var adders = play.upTo(2);
            for (int i = 0; i < adders; i++) {
                play.spawn("adder" + i, () -> add(play, answer));
            }
            for (int i = 0; i < 2; i++) {
                play.spawn("reader" + i, () -> read(play, answer));
            }
            try {
                answer.get();
                play.saw("answered");
            } catch (ExecutionException e) {
                play.check(e.getCause() instanceof AskTimeoutException, "failed with " + e.getCause());
                play.check(play.schedule.time().nanoTime() >= message.deadline, "given up too early");
            }
        });
        play.clock(3);
        play.spawn("opener", () -> {
            for (int i = 0; i < play.random.nextInt(20); i++) {
                play.pause();
            }
            open.complete(true);
        });
    }

    private static void read(Play play, CompletableFuture<Integer> answer) {
        for (int i = 0; i < 20 && !answer.isDone(); i++) {
            Thread.yield();
        }
        if (answer.isDone()) {
            play.check(answer.isCompletedExceptionally() || answer.getNow(-1) >= 0, "done, and not");
            play.saw("seen by a reader");
        }
    }

    private static void add(Play play, CompletableFuture<?> answer) {
        play.pause();
        var called = new CompletableFuture<Thread>();
        answer.whenComplete((value, failure) -> {
            play.check(called.complete(Thread.currentThread()), "called twice");
            var name = Thread.currentThread().getName();
            var here = Thread.currentThread();
            play.check(!(failure instanceof AskTimeoutException) || name.startsWith("adder")
                    || name.startsWith("task"), "a callback is called by " + here);
            if (failure instanceof AskTimeoutException) {
                play.saw(name.startsWith("adder") ? "called where it was added" : "called by a fiber");
            }
        });
        called.join();
    }
}
