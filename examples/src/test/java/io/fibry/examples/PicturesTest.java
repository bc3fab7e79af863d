package io.fibry.examples;

import static org.awaitility.Awaitility.await;

import io.fibry.browser.Browser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Makes the pictures of the README that show the example <i>devices</i>, in the folder that {@code fibry.pictures} names. */
@Timeout(300)
@EnabledIfSystemProperty(named = "fibry.pictures", matches = ".+")
class PicturesTest {
    private static final int DEVICES = 5_000;
    private static final int PAUSE_MILLIS = 2_000;
    private static final Duration CHARTS = Duration.ofSeconds(45);

    @Test
    void aGatewayAtWork() throws Exception {
        var folder = Path.of(System.getProperty("fibry.pictures"));
        var browser = Browser.start()
                .orElseThrow(() -> new IllegalStateException("no chromium or chrome is on the PATH"));
        try (browser;
                var gateway = DeviceGateway.start(0, 2 * DEVICES);
                var page = Devices.page(0, gateway)) {
            var simulator = Devices.simulate(gateway.port(), DEVICES, PAUSE_MILLIS);
            try {
                var tab = browser.blank();
                tab.size(1280, 760, 1);
                tab.prefer("prefers-color-scheme", "light");
                await().atMost(Duration.ofMinutes(2)).until(() -> gateway.snapshot().online() == DEVICES);
                tab.go("http://127.0.0.1:" + page.port() + "/");
                gateway.commandAll("blink");
                var end = System.nanoTime() + CHARTS.toNanos();
                await().atMost(CHARTS.multipliedBy(2)).until(() -> System.nanoTime() - end > 0);
                for (var colours : List.of("light", "dark")) {
                    tab.prefer("prefers-color-scheme", colours);
                    tab.see("new Promise(drawn => setTimeout(() => drawn(1), 1000))");
                    tab.picture(folder.resolve(colours.equals("light") ? "devices.png" : "devices-dark.png"));
                }
            } finally {
                simulator.destroy();
                simulator.waitFor();
            }
        }
    }
}
