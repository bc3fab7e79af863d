package io.fibry.examples.spring;

import io.fibry.Actor;
import io.fibry.spring.NamedActor;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The counter of the shop. Its web methods ask an actor, which alone knows how many items are left. */
@RestController
class Counter {
    private final Actor<Integer, Integer> stock;
    private final Bills bills;
    private final ConcurrentMap<String, String> threads;

    Counter(@NamedActor("stock") Actor<Integer, Integer> stock, Bills bills) {
        this.stock = stock;
        this.bills = bills;
        threads = bills.threads();
    }

    @GetMapping("/")
    String left() {
        return "apples left: " + stock.apply(0) + "\n";
    }

    @PostMapping("/buy")
    String buy(@RequestParam("count") int count) {
        threads.put("request", Thread.currentThread().toString());
        if (count < 1) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "count must be at least 1: " + count);
        }
        int left = stock.apply(count); // blocks, which costs nothing here
        if (left < 0) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "not so many are left");
        }
        bills.mail(count);
        return "sold " + count + ", left: " + left + "\n";
    }

    @GetMapping("/threads")
    ConcurrentMap<String, String> threads() {
        return threads;
    }

    /** Sends bills later. */
    @Component
    static class Bills {
        private final ConcurrentMap<String, String> threads = new ConcurrentHashMap<>();
        private final AtomicInteger mailed = new AtomicInteger();

        ConcurrentMap<String, String> threads() {
            return threads;
        }

        @Async
        CompletableFuture<Integer> mail(int count) {
            threads.put("@Async", Thread.currentThread().toString());
            return CompletableFuture.completedFuture(mailed.addAndGet(count));
        }
    }
}
