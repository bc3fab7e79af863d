package io.fibry.internal.scenario;

import java.util.List;

/** Asks are cancelled while they are queued, handled or over, and nothing else is interrupted for it. */
final class Cancel implements Scenario {
    @Override
    public String name() {
        return "cancel";
    }

    @Override
    public List<String> sometimes() {
        return List.of("a handler was interrupted",
                "an ask was taken back",
                "cancelled too late");
    }

    @Override
    public void play(Play play) {
        var subject = new Subject(play);
        subject.make(play.anonymous().interruptOnCancel(), (context, message) -> {
            for (int i = 0; i < 3; i++) {
                Thread.yield();
                if (Thread.interrupted()) {
                    play.check(message.isOver(play.schedule.time().nanoTime()),
                            "interrupted for another message: " + message);
                    play.saw("a handler was interrupted");
                    throw new InterruptedException("as wanted");
                }
            }
        });
        for (int i = 0; i < 2; i++) {
            var asker = "asker" + i;
            play.spawn(asker, () -> {
                for (int n = 0; n < 3; n++) {
                    cancel(play, subject, new Msg(asker, n));
                }
            });
        }
        play.sender("sender", 4, subject);
        if (play.chance(50)) {
            play.clock(3);
        }
    }

    private static void cancel(Play play, Subject subject, Msg message) {
        var answer = play.chance(70) ? subject.ask(message) : subject.askFor(message);
        for (int pauses = play.random.nextInt(12); pauses > 0; pauses--) {
            Thread.yield();
        }
        var waiting = subject.latest(message) < message.number;
        if (!answer.cancel(true)) {
            play.saw("cancelled too late");
        } else if (waiting) {
            play.saw("an ask was taken back");
        }
    }
}
