package io.fibry.internal.scenario;

import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** An actor that has nothing to do is stopped without a deadline, directly or with its parent: the outcome is always the same. */
final class StopAtOnce implements Scenario {
    @Override
    public String name() {
        return "stop-at-once";
    }

    @Override
    public List<String> sometimes() {
        return List.of("one with hooks was stopped", "one that had answered was stopped",
                "a parent was stopped");
    }

    @Override
    public void play(Play play) {
        switch (play.random.nextInt(3)) {
            case 0 -> withHooks(play);
            case 1 -> afterItsAnswer(play);
            default -> withChild(play);
        }
    }

    /** In a scope of its own: these messages are not the ledger's. */
    private static ActorBuilder anonymous(Play play) {
        return play.scope.child("at-once").open().anonymous();
    }

    private static void withHooks(Play play) {
        var hooks = new AtomicInteger();
        var actor = anonymous(play).onExit(() -> runHook(play, hooks)).newActorWithReturn((Integer n) -> n);
        play.spawn("stopper", () -> {
            if (play.chance(50)) {
                actor.sendMessageReturn(1).get();
            }
            var report = actor.stop(Duration.ZERO);
            play.check(report.forced() && report.stopped(), "with hooks: " + report);
            play.check(hooks.get() == 1, "hooks that have run: " + hooks);
            play.saw("one with hooks was stopped");
        });
    }

    private static void afterItsAnswer(Play play) {
        var actor = anonymous(play).newActorWithReturn((Integer n) -> n);
        play.spawn("stopper", () -> {
            actor.sendMessageReturn(1).get();
            var report = actor.stop(Duration.ZERO);
            play.check(!report.forced() && report.stopped(), "it had answered: " + report);
            play.check(actor.state() == ActorState.STOPPED, "stopped, but " + actor.state());
            play.saw("one that had answered was stopped");
        });
    }

    private static void withChild(Play play) {
        var hooks = new AtomicInteger();
        var parent = anonymous(play).newActor((ActorContext<Integer, Void> context, Integer n) -> context
                .child().onExit(() -> runHook(play, hooks)).newActor((Integer m) -> {
                }));
        play.spawn("stopper", () -> {
            parent.execAndWait(() -> {
            });
            parent.sendMessage(1);
            parent.execAndWait(() -> {
            });
            var report = parent.stop(Duration.ZERO);
            play.check(report.forced() && report.stopped(), "with a child: " + report);
            play.check(hooks.get() == 1, "hooks of the child that have run: " + hooks);
            play.saw("a parent was stopped");
        });
    }

    private static void runHook(Play play, AtomicInteger hooks) {
        play.check(!Thread.currentThread().isInterrupted(), "a hook was interrupted before it began");
        play.pause();
        play.check(!Thread.currentThread().isInterrupted(), "a hook was interrupted");
        hooks.incrementAndGet();
    }
}
