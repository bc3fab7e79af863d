package io.fibry.internal.scenario;

import io.fibry.ActorName;
import java.util.List;

/** Actors of one name come and go, while messages are sent to that name. */
final class NameReuse implements Scenario {
    @Override
    public String name() {
        return "name-reuse";
    }

    @Override
    public List<String> sometimes() {
        return List.of("the name was taken",
                "lost: NO_SUCH_ACTOR",
                "lost: STOPPED",
                "a kept message was handled");
    }

    private static final String NAME = "tom";

    @Override
    public void play(Play play) {
        var makers = play.upTo(2);
        for (int i = 0; i < makers; i++) {
            play.spawn("maker" + i, () -> {
                for (int n = 0; n < 2; n++) {
                    play.pause();
                    make(play, makers == 1);
                }
            });
        }
        for (int i = 0; i < 2; i++) {
            var sender = "sender" + i;
            play.spawn(sender, () -> {
                for (int n = 0; n < 4; n++) {
                    play.pause();
                    send(play, new Msg(sender, n));
                }
            });
        }
    }

    private static void send(Play play, Msg message) {
        play.ledger.offered.add(message);
        var absent = play.scope.find(ActorName.of(NAME)).isEmpty();
        var accepted =
                play.scope.sendOrKeep(ActorName.of(NAME), message,
                        play.chance(70) ? 3 : 0);
        play.check(accepted || message.reported == 1, "refused without a report: " + message);
        message.kept = absent && accepted;
    }

    private static void make(Play play, boolean alone) {
        var subject = new Subject(play);
        try {
            subject.make(play.scope.named(NAME), (context, message) -> {
            });
        } catch (IllegalArgumentException e) {
            play.ledger.subjects.remove(subject);
            play.check(!alone, "the name is still taken: " + e.getMessage());
            play.saw("the name was taken");
            return;
        }
        play.pause();
        Thread.yield();
        subject.stop();
        subject.waitForExit();
        var now = play.scope.<Msg, Integer>find(ActorName.of(NAME));
        play.check(now.isEmpty() || now.get() != subject.actor(), "it has ended and still has the name");
    }
}
