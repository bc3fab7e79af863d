package io.fibry.inside;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.FailurePolicy;
import io.fibry.function.Handler;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A shop with something to see: load that comes and goes, a bank that does not answer, and a printer that fails. */
final class DemoShop implements AutoCloseable {
    private static final int CUSTOMERS = 12_000;

    private final CountDownLatch paid = new CountDownLatch(1);
    private final ActorScope shop = ActorSystem.open("shop");
    private final ActorScope orders = shop.child("orders").open();
    private final ActorScope payments = shop.child("payments").open();
    private final ActorScope devices = ActorSystem.open("devices");
    private final List<Actor<Integer, Void>> customers = new ArrayList<>();
    private int beats;

    private static final class PaperJam extends RuntimeException {
        private static final long serialVersionUID = 1;

        PaperJam() {
            super("paper jam in tray 2", null, false, false);
        }
    }

    /** Looks up prices, for some hundred microseconds each. */
    private static final class PriceList implements Handler<Integer> {
        private double sum;

        @Override
        public void handle(Integer item) {
            for (int i = 0; i < 12_000; i++) {
                sum += Math.sqrt(item + (double) i);
            }
        }
    }

    /** Packs, which takes two milliseconds. */
    private static final class Packer implements Handler<Integer> {
        @Override
        public void handle(Integer parcel) throws InterruptedException {
            Thread.sleep(2);
        }
    }

    /** Waits for a terminal that does not answer. */
    private record Bank(CountDownLatch terminal) implements ReplyHandler<Integer, Integer> {
        @Override
        public Integer handle(Integer cents) throws InterruptedException {
            terminal.await();
            return cents;
        }
    }

    /** Asks another actor to book. */
    private record Till(Actor<Integer, Integer> next) implements ReplyHandler<Integer, Integer> {
        @Override
        public Integer handle(Integer cents) {
            return next.apply(cents);
        }
    }

    /** Lets customers pay. */
    private record Door(Actor<Integer, Integer> till) implements Handler<Integer> {
        @Override
        public void handle(Integer cents) {
            till.apply(cents);
        }
    }

    /** Prints, until there is no paper. */
    private static final class Printer implements Handler<Integer> {
        @Override
        public void handle(Integer page) throws InterruptedException {
            Thread.sleep(1);
            if (page % 80 == 10) {
                throw new PaperJam();
            }
        }
    }

    /** One of many, with next to nothing to do. */
    private static final class Device implements Handler<Integer> {
        private long sum;

        @Override
        public void handle(Integer reading) {
            sum += reading;
        }
    }

    DemoShop() {
        var prices = orders.named("prices").newActor(new PriceList());
        var packer = orders.named("packer").newActor(new Packer());
        var bank = payments.named("bank").newActorWithReturn(new Bank(paid));
        var till = payments.named("till").newActorWithReturn(new Till(bank));
        var door = shop.named("front door").newActor(new Door(till));
        var kiosk = shop.named("kiosk").newActor(new Door(till));
        var ledger = payments.named("ledger").newActor(new Door(bank));
        var printer = shop.named("printer").onFailure(FailurePolicy.restart(1_000, Duration.ofHours(1)))
                .newActor(new Printer());
        var closed = shop.named("old fax").newActor(new Printer());
        closed.close();
        for (int i = 0; i < CUSTOMERS; i++) {
            customers.add(devices.anonymous().newActor(new Device()));
        }
        shop.named("clock").onStart((ActorContext<String, ?> context) -> {
            context.timers().fixedRate("beat", Duration.ofMillis(50), "beat");
        }).newActor((String beat) -> {
            beats++;
            var wave = 1 + Math.sin(beats / 60.0) + 0.4 * Math.sin(beats / 11.0);
            for (int i = 0; i < 30 + 60 * wave; i++) {
                prices.sendMessage(i);
            }
            for (int i = 0; i < 9 + 9 * wave; i++) {
                packer.sendMessage(i);
            }
            for (int i = 0; i < 400 + 700 * wave; i++) {
                customers.get((beats * 997 + i * 31) % CUSTOMERS).sendMessage(i);
            }
            printer.sendMessage(beats);
            if (beats % 200 == 20) {
                closed.sendMessage(beats);
            }
            if (beats < 100) {
                (beats % 2 == 0 ? door : kiosk).sendMessage(beats);
                ledger.sendMessage(beats);
            }
        });
    }

    @Override
    public void close() {
        paid.countDown();
        shop.close();
        devices.close();
    }
}
