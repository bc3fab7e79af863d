package io.fibry.internal.scenario;

import io.fibry.ActorContext;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** An actor puts messages aside and takes them back, fails and is restarted, while others send to it and stop it. */
final class Stashes implements Scenario {
    @Override
    public String name() {
        return "stash";
    }

    @Override
    public List<String> sometimes() {
        return List.of("put aside", "taken back", "taken back by a restart", "put aside twice", "expired",
                "lost: STOPPED_BEFORE_TURN", "lost: STOPPED", "an end with messages put aside");
    }

    /** What has to come next, if messages were taken back. */
    private static final class Model {
        final Deque<Msg> aside = new ArrayDeque<>();
        final Deque<Msg> next = new ArrayDeque<>();
        final Set<Msg> seen = new HashSet<>();

        void takeBack() {
            while (!aside.isEmpty()) {
                next.addFirst(aside.removeLast());
            }
        }
    }

    @Override
    public void play(Play play) {
        var subject = new Subject(play).endsByItself();
        var model = new Model();
        var restarts = play.chance(50);
        var builder = play.chance(30)
                ? play.anonymous().mailbox(MailboxPolicy.bounded(3, OverflowPolicy.block()))
                : play.anonymous();
        if (restarts) {
            builder = builder.onFailure(FailurePolicy.restart(100, Duration.ofSeconds(1)));
        }
        if (play.chance(30)) {
            builder = builder.stopWhenIdle(Play.MILLI);
        }
        var made = builder.stash(100).<Msg, Integer>newActorWithReturn(
                (context, message) -> handle(play, subject, model, restarts, context, message));
        subject.watch(made);
        play.ledger.atTheEnd(() -> play.check(made.mailboxSize() == 0, "there are still messages: " + made));
        for (int i = 0; i < 3; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 4; n++) {
                    play.pause();
                    var message = new Msg(sender, -1);
                    switch (play.random.nextInt(4)) {
                        case 0 -> subject.ask(message);
                        case 1 -> subject.askFor(message);
                        default -> subject.send(message);
                    }
                }
            });
        }
        if (play.chance(50)) {
            play.clock(3);
        }
        if (play.chance(60)) {
            play.spawn("stopper", () -> {
                for (int pauses = play.random.nextInt(30); pauses > 0; pauses--) {
                    Thread.yield();
                }
                subject.stop();
                if (!model.aside.isEmpty()) {
                    play.saw("an end with messages put aside");
                }
            });
        }
    }

    private static Integer handle(Play play, Subject subject, Model model, boolean restarts,
            ActorContext<Msg, Integer> context, Msg message) {
        subject.enter(message);
        var now = play.schedule.time().nanoTime();
        while (model.next.peekFirst() != message && model.next.peekFirst() != null
                && model.next.peekFirst().isOver(now)) {
            model.next.removeFirst(); // it has expired in the meantime
        }
        var expected = model.next.pollFirst();
        play.check(expected == null || expected == message, "not " + expected + " but " + message);
        play.check(expected != null || model.seen.add(message), "handled once more: " + message);
        play.pause();
        var takesBack = play.chance(30);
        var first = play.chance(50);
        if (takesBack && first) {
            context.unstashAll();
        }
        if (takesBack) {
            play.saw("taken back");
        }
        if (play.chance(40)) {
            context.stash();
            play.saw(expected == null ? "put aside" : "put aside twice");
            if (takesBack && first) {
                model.takeBack();
            }
            model.aside.addLast(message);
            if (takesBack && !first && play.chance(30)) {
                context.unstashAll();
                model.takeBack();
            }
            subject.aside();
            return 0;
        }
        if (takesBack && !first) {
            context.unstashAll();
        }
        if (takesBack) {
            model.takeBack();
        }
        if (play.chance(10)) {
            if (restarts) {
                model.takeBack();
                play.saw("taken back by a restart");
            }
            subject.fail(message);
            throw new IllegalStateException("as wanted");
        }
        subject.leave(message);
        return message.number;
    }
}
