package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import java.util.List;

/** Asks are given up while they lie in a chunk, are about to get there, or are taken out of it. */
final class GivenUpBacklog implements Scenario {
    @Override
    public String name() {
        return "given-up-backlog";
    }

    @Override
    public List<String> sometimes() {
        return List.of("an ask was taken back", "given up too late", "expired", "lost: STOPPED_BEFORE_TURN");
    }

    @Override
    public void play(Play play) {
        var backlog = new Backlog(play);
        var subject = new Subject(play);
        var builder = play.chance(50) ? play.anonymous()
                : play.anonymous().mailbox(MailboxPolicy.bounded(play.chance(50) ? 20 : 60,
                        play.chance(50) ? OverflowPolicy.block() : OverflowPolicy.dropOldest()));
        subject.make(builder, (context, message) -> backlog.mayInterrupt());
        backlog.send(subject, 60, message -> giveUp(play, subject, message), () -> {
        });
        backlog.mayStop(subject);
    }

    private static void giveUp(Play play, Subject subject, Msg message) {
        var answer = play.chance(50) ? subject.ask(message) : subject.askFor(message);
        if (play.chance(70)) {
            for (int pauses = play.random.nextInt(6); pauses > 0; pauses--) {
                Thread.yield();
            }
            play.saw(answer.cancel(true) ? "an ask was taken back" : "given up too late");
        }
    }
}
