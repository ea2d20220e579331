// A webhook receiver for Go 1.19 or newer, without modules.
//
//	ARAF_SECRET=whsec_… PORT=8099 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const (
	tolerance = 300 // seconds between the signature and now
	bodyMax   = 1 << 20
	keyMin    = 24 // bytes: a shorter key can be guessed, and anyone can sign with an empty one
)

var (
	secret = os.Getenv("ARAF_SECRET")
	key    = decoded(secret)
)

// The key of a secret; the receiver does not start without one.
func decoded(secret string) []byte {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < keyMin {
		log.Fatalf("ARAF_SECRET is not whsec_ and the base64 of at least %d bytes", keyMin)
	}
	return key
}

func sum(key []byte, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// X-ARAF-Signature: the hex HMAC of the raw body, keyed with the whole secret.
func isSigned(header http.Header, body []byte) bool {
	expected := "sha256=" + hex.EncodeToString(sum([]byte(secret), body))
	return hmac.Equal([]byte(header.Get("X-ARAF-Signature")), []byte(expected))
}

// webhook-signature (Standard Webhooks): one or more base64 HMACs of id.timestamp.body, keyed with the decoded secret.
func isSignedAsStandard(header http.Header, body []byte) bool {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if age := time.Now().Unix() - int64(seconds); err != nil || age > tolerance || age < -tolerance {
		return false
	}
	expected := "v1," + base64.StdEncoding.EncodeToString(sum(key, []byte(id+"."+timestamp+"."), body))
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return true
		}
	}
	return false
}

func receive(writer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(writer, request.Body, bodyMax))
	if err != nil {
		writer.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !isSigned(request.Header, body) || !isSignedAsStandard(request.Header, body) {
		writer.WriteHeader(http.StatusUnauthorized)
		return
	}
	writer.WriteHeader(http.StatusOK) // within 15 seconds; do the work afterwards
	var push struct{ Event string }
	if err := json.Unmarshal(body, &push); err == nil {
		fmt.Println("verified", push.Event, request.Header.Get("X-ARAF-Delivery"))
	}
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8099"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}
