package io.fibry.spring;

import io.fibry.Actor;
import io.fibry.ActorScope;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A small program with a web server: each request asks one actor and sends to another. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({WebProgram.Shop.class, WebProgram.Gate.class})
class WebProgram {
    @Bean
    @NamedActor("prices")
    Actor<Integer, Integer> prices(ActorScope scope, Gate gate) {
        return scope.named("prices").newActorWithReturn((Integer count) -> {
            gate.asked.countDown();
            gate.open.await();
            return 3 * count;
        });
    }

    @Bean
    @NamedActor("bills")
    Actor<Integer, Void> bills(ActorScope scope, Gate gate) {
        return scope.named("bills").newActor((Integer price) -> gate.billed.addAndGet(price));
    }

    /** Holds up the actor until the web server is about to finish its requests. */
    static final class Gate implements SmartLifecycle {
        final CountDownLatch open = new CountDownLatch(1);
        final CountDownLatch asked = new CountDownLatch(1);
        final AtomicInteger requests = new AtomicInteger();
        final AtomicInteger billed = new AtomicInteger();
        final CompletableFuture<Void> closing = new CompletableFuture<>();

        @Override
        public void start() {
            // it runs from the beginning
        }

        @Override
        public void stop() {
            closing.complete(null);
        }

        @Override
        public boolean isRunning() {
            return !closing.isDone();
        }

        /** Just before the web server. */
        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 1023;
        }
    }

    @RestController
    static class Shop {
        private final Actor<Integer, Integer> prices;
        private final Actor<Integer, Void> bills;
        private final Gate gate;

        Shop(@NamedActor("prices") Actor<Integer, Integer> prices,
                @NamedActor("bills") Actor<Integer, Void> bills,
                Gate gate) {
            this.prices = prices;
            this.bills = bills;
            this.gate = gate;
        }

        @PostMapping("/buy")
        String buy() {
            gate.requests.incrementAndGet();
            int price = prices.apply(1);
            if (!bills.sendMessage(price)) {
                throw new IllegalStateException("the bill was lost");
            }
            return "paid " + price;
        }

        @GetMapping("/thread")
        String thread() {
            return Thread.currentThread().isVirtual() ? "virtual" : Thread.currentThread().getName();
        }
    }
}
