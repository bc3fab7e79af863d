package io.fibry.internal.scenario;

import io.fibry.ActorExitException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import java.util.List;
import java.util.Optional;

/** A receiving actor picks messages with a time limit, while others send to it and stop it. */
final class Receive implements Scenario {
    @Override
    public String name() {
        return "receive";
    }

    @Override
    public List<String> sometimes() {
        return List.of("received",
                "nothing in time",
                "received late", "received together", "failed together",
                "exit while receiving",
                "lost: STOPPED_BEFORE_TURN",
                "lost: STOPPED",
                "a stop was forced", "expired");
    }

    @Override
    public void play(Play play) {
        var subject = new Subject(play).endsByItself();
        var builder = play.chance(30)
                ? play.anonymous().mailbox(MailboxPolicy.bounded(3, OverflowPolicy.block()))
                : play.anonymous();
        subject.watch(play.chance(50)
                ? builder
                        .newReceivingActor((ReceivingContext<Msg> context, Msg first) -> handle(play, subject,
                                context, first))
                : builder.strategy(play.elsewhere())
                        .newReceivingActor((ReceivingContext<Msg> context) -> live(play, subject, context)));
        for (int i = 0; i < 3; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 3; n++) {
                    play.pause();
                    send(play, subject, new Msg(sender, n));
                }
            });
        }
        if (play.chance(50)) {
            play.clock(3);
        }
        play.spawn("stopper", () -> {
            for (int pauses = play.random.nextInt(20); pauses > 0; pauses--) {
                Thread.yield();
            }
            subject.stop();
        });
    }

    private static void send(Play play, Subject subject, Msg message) {
        switch (play.random.nextInt(4)) {
            case 0 -> subject.ask(message);
            case 1 -> subject.askFor(message);
            default -> subject.send(message);
        }
    }

    private static void handle(Play play, Subject subject, ReceivingContext<Msg> context, Msg first)
            throws Exception {
        subject.enter(first);
        try {
            if (play.chance(30)) {
                receiveMore(play, subject, context, first);
                return;
            }
            receive(play, subject, context, false);
        } catch (ActorExitException e) {
            play.saw("exit while receiving");
            subject.leave(first);
            throw e;
        } catch (InterruptedException e) {
            subject.fail(first);
            throw e;
        }
        subject.leave(first);
    }

    /** Takes messages that have the fate of the first one. */
    private static void receiveMore(Play play, Subject subject, ReceivingContext<Msg> context, Msg first)
            throws InterruptedException {
        var more = context.receiveMore(2, Play.MILLI);
        play.check(more.size() <= 2, "more than were wanted: " + more);
        play.pause();
        if (!more.isEmpty() && play.chance(30)) {
            play.saw("failed together");
            more.forEach(subject::receivedAndFailed);
            subject.fail(first);
            throw new IllegalStateException("as wanted");
        }
        if (!more.isEmpty()) {
            play.saw("received together");
        }
        more.forEach(subject::received);
        subject.leave(first);
    }

    private static void live(Play play, Subject subject, ReceivingContext<Msg> context) throws Exception {
        for (int i = 0; i < 5; i++) {
            receive(play, subject, context, true);
        }
    }

    /** Takes a message of a sender that it picks, or of any. */
    private static void receive(Play play, Subject subject, ReceivingContext<Msg> context, boolean outermost)
            throws InterruptedException {
        var wanted = "sender" + play.random.nextInt(5);
        var any = wanted.equals("sender4");
        var received = play.chance(70)
                ? context.receive(m -> any || m.sender.equals(wanted), Play.MILLI)
                : Optional.of(context.receive());
        if (received.isEmpty()) {
            play.saw("nothing in time");
            return;
        }
        play.saw(play.schedule.time().nanoTime() > 0 ? "received late" : "received");
        if (outermost) {
            subject.enter(received.get());
            play.pause();
            subject.leave(received.get());
        } else {
            subject.received(received.get());
        }
    }
}
