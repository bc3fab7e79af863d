package io.fibry.examples.chat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.browser.Browser;
import io.fibry.browser.PageRules;
import io.fibry.browser.Tab;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class ChatTest {
    private final Chat chat = Chat.start(0);
    private final HttpClient client = HttpClient.newHttpClient();

    @AfterEach
    void close() {
        client.shutdownNow();
        chat.close();
    }

    /** Somebody with a web socket who hears everything. */
    private final class Guest {
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final WebSocket socket;

        Guest(String room, String name) {
            socket = client.newWebSocketBuilder().buildAsync(
                    URI.create("ws://127.0.0.1:" + chat.port() + "/rooms/" + room + "?name=" + name),
                    new WebSocket.Listener() {
                        private final StringBuilder text = new StringBuilder();

                        @Override
                        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
                            text.append(data);
                            if (last) {
                                heard.add(text.toString());
                                text.setLength(0);
                            }
                            from.request(1);
                            return CompletableFuture.completedStage(null);
                        }
                    }).join();
        }

        void say(String text) {
            socket.sendText(text, true).join();
        }

        void leave() {
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        }

        String hear() throws InterruptedException {
            var message = heard.poll(60, TimeUnit.SECONDS);
            assertThat(message).as("a message within 60 s").isNotNull();
            return message;
        }
    }

    @Test
    void peopleComeTalkAndGo() throws Exception {
        var ann = new Guest("lobby", "ann");
        assertThat(ann.hear()).isEqualTo("{\"type\":\"history\",\"you\":\"ann\",\"all\":[]}");
        assertThat(ann.hear()).contains("\"type\":\"joined\",\"who\":\"ann\"")
                .endsWith("\"here\":[\"ann\"]}");
        ann.say("is \"anybody\" here? \uD83D\uDE00");
        assertThat(ann.hear())
                .contains("\"who\":\"ann\",\"text\":\"is \\\"anybody\\\" here? \\ud83d\\ude00\"");

        var bob = new Guest("lobby", "bob");
        assertThat(bob.hear())
                .startsWith(
                        "{\"type\":\"history\",\"you\":\"bob\",\"all\":[{\"type\":\"said\",\"who\":\"ann\"");
        assertThat(bob.hear()).endsWith("\"here\":[\"ann\",\"bob\"]}");
        assertThat(ann.hear()).contains("\"type\":\"joined\",\"who\":\"bob\"");

        bob.leave();
        assertThat(ann.hear()).contains("\"type\":\"left\",\"who\":\"bob\"").endsWith("\"here\":[\"ann\"]}");

        var other = new Guest("kitchen", "cy");
        assertThat(other.hear()).isEqualTo("{\"type\":\"history\",\"you\":\"cy\",\"all\":[]}");
    }

    @Test
    void peopleOfOneNameAreToldApartAndTheNameIsFreeAgain() throws Exception {
        var first = new Guest("lobby", "ann");
        assertThat(first.hear()).contains("\"you\":\"ann\"");
        assertThat(first.hear()).endsWith("\"here\":[\"ann\"]}");

        var second = new Guest("lobby", "ann");
        assertThat(second.hear()).contains("\"you\":\"ann 2\"");
        assertThat(first.hear()).contains("\"type\":\"joined\",\"who\":\"ann 2\"")
                .endsWith("\"here\":[\"ann\",\"ann 2\"]}");
        second.say("I am the other one");
        assertThat(first.hear()).contains("\"who\":\"ann 2\",\"text\":\"I am the other one\"");
        assertThat(new Guest("kitchen", "ann").hear()).contains("\"you\":\"ann\"");

        second.leave();
        assertThat(first.hear()).contains("\"type\":\"left\",\"who\":\"ann 2\"");
        // The name is given back after the others have been told, at once, by a thread that may be late.
        for (var again = "ann 3"; !again.equals("ann 2");) {
            var third = new Guest("lobby", "ann");
            var welcome = third.hear();
            again = welcome.contains("\"you\":\"ann 2\"") ? "ann 2" : "ann 3";
            third.leave();
        }
    }

    @Test
    void theLastFiftyAreRemembered() throws Exception {
        var ann = new Guest("lobby", "ann");
        for (int i = 1; i <= 60; i++) {
            ann.say("message " + i);
        }
        for (int i = 0; i < 62; i++) {
            ann.hear();
        }
        assertThat(new Guest("lobby", "bob").hear()).doesNotContain("message 10\"").contains("\"message 11\"",
                "\"message 60\"");
    }

    @Test
    void aNameIsNeeded() {
        assertThat(assertThrows(CompletionException.class,
                () -> new Guest("lobby", "")).getCause())
                .isInstanceOfSatisfying(WebSocketHandshakeException.class,
                        refused -> assertThat(refused.getResponse().statusCode()).isEqualTo(400));
    }

    @Test
    void whoDoesNotReadIsCutOffAndHurtsNobody() throws Exception {
        try (var slow = new Socket()) {
            slow.setReceiveBufferSize(4_096);
            slow.connect(new InetSocketAddress("127.0.0.1", chat.port()));
            slow.getOutputStream()
                    .write(("GET /rooms/lobby?name=slow HTTP/1.1\r\nHost: 127.0.0.1:" + chat.port()
                            + "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(slow.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 101");

            var ann = new Guest("lobby", "ann");
            var bob = new Guest("lobby", "bob");
            boolean slowHasLeft = false;
            int said = 0;
            for (; !slowHasLeft && said < 20_000; said++) {
                ann.say(said + " " + "x".repeat(1_900));
                slowHasLeft = !heardUntil(bob, "\"text\":\"" + said + " ");
                heardUntil(ann, "\"text\":\"" + said + " ");
            }
            assertThat(slowHasLeft).as("the slow one was cut off after " + said + " messages").isTrue();
        }
    }

    /** Takes messages up to the wanted one; false if somebody called slow has left meanwhile. */
    private static boolean heardUntil(Guest guest, String wanted) throws InterruptedException {
        boolean allStayed = true;
        while (true) {
            var message = guest.hear();
            allStayed &= !message.contains("\"type\":\"left\",\"who\":\"slow\"");
            if (message.contains(wanted)) {
                return allStayed;
            }
        }
    }

    @Test
    void twoTabsOfARealBrowserTalk() throws Exception {
        var browser = Browser.start();
        assumeTrue(browser.isPresent(), "no chromium or chrome is on the PATH, so the page is not tested");
        try (var chromium = browser.get()) {
            var door = chromium.open("http://127.0.0.1:" + chat.port() + "/");
            door.until("document.readyState", "complete");
            PageRules.look(door, "chat-door");
            var ann = enter(chromium, "Ann");
            assertThat(ann.see("getComputedStyle(document.querySelector('#log'), '::before').content"))
                    .isEqualTo("\"Nobody has said anything yet.\"");
            PageRules.look(ann, "chat-none");
            var bob = enter(chromium, "Bob");
            ann.until("document.querySelectorAll('#here li').length", "2");

            say(ann, "Hello Bob, <b>how</b> are you?");
            bob.until("document.querySelector('.said .bubble')?.lastChild.textContent",
                    "Hello Bob, <b>how</b> are you?");
            ann.until("document.querySelectorAll('.mine').length", "1");
            say(bob, "Fine \uD83D\uDE00");
            ann.until(
                    "[...document.querySelectorAll('.said')].at(-1).querySelector('.bubble').lastChild.textContent",
                    "Fine \uD83D\uDE00");

            bob.see("socket.onclose = null, socket.close()");
            ann.until("[...document.querySelectorAll('.note')].at(-1).textContent", "Bob has left");
            ann.until("document.querySelector('#here').innerText", "Ann (you)");
        }
    }

    @Test
    void twentyPeopleHaveColoursThatDifferAndAPhoneShowsThemAll() throws Exception {
        var browser = Browser.start();
        assumeTrue(browser.isPresent(), "no chromium or chrome is on the PATH, so the page is not tested");
        try (var chromium = browser.get()) {
            var phone = enter(chromium, "Ann");
            phone.size(390, 844, 2);
            for (int i = 0; i < 18; i++) {
                new Guest("lobby", "guest-" + i);
            }
            var other = enter(chromium, "Ann", "Ann 2, since there is another Ann");
            say(other, "Hello");
            phone.until("document.querySelectorAll('#here li').length", "20");
            phone.until(
                    "new Set([...document.querySelectorAll('#here i')].map(i => i.style.background)).size",
                    "20");
            phone.until("document.querySelector('.said:not(.mine) .face')?.textContent", "A2");
            phone.until("document.querySelector('#here').checkVisibility()"
                    + " && document.documentElement.scrollWidth <= 390", "true");
            PageRules.look(phone, "chat");
            PageRules.look(other, "chat-second");
        }
    }

    private Tab enter(Browser browser, String name) throws Exception {
        return enter(browser, name, name);
    }

    private Tab enter(Browser browser, String name, String connectedAs) throws Exception {
        var tab = browser.open("http://127.0.0.1:" + chat.port() + "/");
        tab.until("document.readyState + !!document.querySelector('#enter button')", "completetrue");
        tab.see("document.querySelector('#name').value = '" + name
                + "', document.querySelector('#enter button').click()");
        tab.until("document.querySelector('#state').textContent", "connected as " + connectedAs);
        return tab;
    }

    private static void say(Tab tab, String text) throws Exception {
        tab.see("document.querySelector('#text').value = " + Tab.text(text)
                + ", document.querySelector('#say button').click()");
    }
}
