package io.fibry.internal.scenario;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ReceivingContext;
import java.util.List;

/** A receiving actor passes messages over while others send it as many as may wait. None is refused: none counts twice. */
final class PlacesWhileReceiving implements Scenario {
    @Override
    public String name() {
        return "receive-places";
    }

    @Override
    public List<String> sometimes() {
        return List.of("one was sent while another one was passed over");
    }

    @Override
    public void play(Play play) {
        var capacity = 1 + play.random.nextInt(3);
        var subject = new Subject(play);
        subject.watch(play.anonymous().mailbox(MailboxPolicy.bounded(capacity, OverflowPolicy.reject()))
                .newReceivingActor((ReceivingContext<Msg> context, Msg first) -> {
                    subject.enter(first);
                    var looks = new int[1];
                    sendAll(play, subject, looks, capacity);
                    var last = context.receive(message -> {
                        play.pause();
                        return ++looks[0] == capacity;
                    });
                    subject.received(last);
                    for (int i = 1; i < capacity; i++) {
                        subject.received(context.receive());
                    }
                    subject.leave(first);
                }));
        play.spawn("first", () -> subject.send(new Msg("first", 0)));
    }

    private static void sendAll(Play play, Subject subject, int[] looks, int capacity) {
        for (int i = 0; i < capacity; i++) {
            var message = new Msg("sender" + i, 0);
            play.spawn(message.sender, () -> {
                play.pause();
                var before = looks[0];
                play.check(subject.send(message), "refused although there is a place: " + message);
                if (before > 0 && before < capacity) {
                    play.saw("one was sent while another one was passed over");
                }
            });
        }
    }
}
